"""Checks that a memory is grounded in the messages: names, numbers, dates, negations, and the place of its evidence."""
