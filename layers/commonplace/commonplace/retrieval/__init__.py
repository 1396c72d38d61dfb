"""From a query to the memories that match it: understood, gathered, ranked."""
