"""The lifecycle of a memory, from enrichment and ingestion to closing."""
