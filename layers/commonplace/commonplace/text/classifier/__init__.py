"""Tells of a statement its type, category, importance and whether it is worth keeping, by a small linear model."""
