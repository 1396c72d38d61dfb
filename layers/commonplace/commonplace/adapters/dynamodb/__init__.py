"""Records, PENDING rows, usage, ledger and runs in one DynamoDB table."""
