"""The lifecycle of a memory: enrichment, ingestion, and closing."""
