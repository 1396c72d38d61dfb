"""Find the memories that match a query: parsing, retrieval, ranking."""
