"""The index is a view of the records: projected, rebuilt, and compared with them."""
