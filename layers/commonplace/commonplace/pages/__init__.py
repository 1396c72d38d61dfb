"""MEMORY.md and memory/YYYY-MM-DD.md: the memories as pages that people read and may edit."""
