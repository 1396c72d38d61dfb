"""Stores records, PENDING rows, usage, the ledger and runs in one DynamoDB table."""
