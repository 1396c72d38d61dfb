"""The lifecycle of a memory, from enrichment and ingestion to deletion or erasure."""
