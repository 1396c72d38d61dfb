"""Check that a memory is supported by the messages: its names, numbers, dates and negations, and its evidence."""
