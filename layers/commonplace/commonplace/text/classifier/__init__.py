"""Estimate the type, category and importance of a statement with a small linear model, and whether it is worth storing."""
