"""From what was said on a day to decisions about memories: pure functions, the same gates for every mode of reading."""
