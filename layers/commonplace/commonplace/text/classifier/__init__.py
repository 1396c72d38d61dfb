"""Estimates the type, category, importance and worthiness of a statement with a small linear model."""
