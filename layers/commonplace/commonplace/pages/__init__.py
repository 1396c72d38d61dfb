"""MEMORY.md and memory/YYYY-MM-DD.md: the record as pages that people read, and may edit."""
