"""Classifies a statement with a small linear model: its type, category, importance, and whether it is worth storing."""
