"""From a query to the memories that match it: parsing, retrieval, ranking."""
