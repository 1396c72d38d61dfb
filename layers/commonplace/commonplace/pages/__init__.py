"""Memories as Markdown pages that people read and may edit: MEMORY.md and memory/YYYY-MM-DD.md."""
