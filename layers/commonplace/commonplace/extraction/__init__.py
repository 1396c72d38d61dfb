"""From what was said on a day to what is worth remembering: pure functions, the same gates for every mode of reading."""
