"""The HTTP interface, which serves the tools to programs on this machine, or to users with tokens."""
