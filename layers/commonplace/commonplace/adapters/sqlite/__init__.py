"""Stores records, the index, usage, the ledger and runs in one SQLite file."""
