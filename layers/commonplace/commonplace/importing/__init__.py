"""Detect the format of exports from other tools, and read them as statements to import."""
