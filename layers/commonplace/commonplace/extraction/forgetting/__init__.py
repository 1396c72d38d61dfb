"""Wishes to forget: heard, held against what a reader makes of them, and matched with what says it."""
