"""Records, index, usage, ledger and runs in one SQLite file."""
