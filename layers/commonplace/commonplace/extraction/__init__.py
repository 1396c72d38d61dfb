"""Turn the messages of a day into decisions about memories. The decisions of every reader pass the same gates."""
