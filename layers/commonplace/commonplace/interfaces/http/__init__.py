"""The local HTTP way in: the same tools for other programs of this machine."""
