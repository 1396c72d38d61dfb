"""Use a small linear model to estimate a statement's type, category and importance, and whether it is worth storing."""
