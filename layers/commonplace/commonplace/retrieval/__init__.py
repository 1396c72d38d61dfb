"""Find the memories that match a query, by parsing the query and by retrieving and ranking candidates."""
