"""The index is a view of the records: kept in step, rebuilt, held against them."""
