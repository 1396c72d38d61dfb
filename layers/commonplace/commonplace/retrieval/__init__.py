"""From a query to the memories that match it: parsed, retrieved, ranked."""
