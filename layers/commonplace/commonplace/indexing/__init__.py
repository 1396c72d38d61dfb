"""The index as a view of the records: projected, rebuilt, and checked against them."""
