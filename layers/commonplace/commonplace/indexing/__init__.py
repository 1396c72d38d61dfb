"""Writes records to the index, rebuilds the index from the records, and checks it against them."""
