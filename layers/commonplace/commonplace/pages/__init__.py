"""Write memories as the Markdown pages MEMORY.md and memory/YYYY-MM-DD.md, which people read and may edit."""
