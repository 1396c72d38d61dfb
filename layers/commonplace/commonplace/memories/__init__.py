"""The life of a memory: enriched from a statement, stored once, closed with nothing lost."""
