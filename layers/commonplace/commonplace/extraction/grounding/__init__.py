"""Check that the messages support a memory: its evidence, names, numbers, dates and negations must occur in them."""
