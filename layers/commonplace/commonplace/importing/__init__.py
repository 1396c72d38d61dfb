"""Detect the format of other tools' exports, and read the exports as statements to import."""
