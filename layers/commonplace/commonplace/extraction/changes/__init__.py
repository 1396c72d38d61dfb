"""Finds which memories a statement contradicts, and what of them stays true."""
