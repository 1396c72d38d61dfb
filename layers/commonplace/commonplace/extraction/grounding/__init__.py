"""Checks that a memory is grounded in what was said: names, numbers, dates, negations, and the place of its evidence."""
