"""The local HTTP interface: the same tools for other programs on this machine."""
