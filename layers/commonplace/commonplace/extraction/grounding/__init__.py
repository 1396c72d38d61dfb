"""Check that the messages support a memory. Its evidence, names, numbers, dates and negations must occur there."""
