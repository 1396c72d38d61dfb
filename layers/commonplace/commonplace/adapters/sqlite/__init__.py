"""Records, index and usage in one SQLite file."""
