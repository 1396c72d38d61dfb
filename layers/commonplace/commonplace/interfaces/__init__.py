"""The interfaces: each converts its requests into tool calls and the results into its own responses."""
