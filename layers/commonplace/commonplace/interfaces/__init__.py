"""The interfaces. Each interface converts requests to tool calls, and the results to responses."""
