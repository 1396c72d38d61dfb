"""Turn a day's messages into decisions about memories. The decisions of all readers pass through the same checks."""
