"""Turn the messages of a day into decisions about memories. Pure functions; every reader passes the same gates."""
