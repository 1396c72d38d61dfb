"""The local HTTP interface serves the same tools to other programs on this machine, or to users with tokens."""
