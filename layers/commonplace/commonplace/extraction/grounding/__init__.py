"""Check that messages support a memory, whose evidence, names, numbers, dates and negations must occur in them."""
