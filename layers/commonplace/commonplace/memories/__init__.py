"""The lifecycle of a memory: enrichment, ingestion, and the ways it closes."""
