"""Finds the memories that match a query, by parsing, retrieval and ranking."""
