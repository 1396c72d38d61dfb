"""The Python way in."""
