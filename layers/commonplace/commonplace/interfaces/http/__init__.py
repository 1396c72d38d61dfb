"""The local HTTP interface. It serves the same tools to other programs on this machine, or to users with tokens."""
