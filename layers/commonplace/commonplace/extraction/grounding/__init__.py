"""Check that messages support a memory. Its evidence, names, numbers, dates and negations must occur in the messages."""
