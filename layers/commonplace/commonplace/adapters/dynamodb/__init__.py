"""Records, PENDING rows and usage in one DynamoDB table."""
