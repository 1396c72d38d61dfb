"""Find the memories that match a query. This package parses the query, and retrieves and ranks candidates."""
