"""The interfaces, which convert requests to tool calls, and results to responses."""
