"""From the messages of a day to decisions about memories: pure functions, with the same gates for every reader."""
