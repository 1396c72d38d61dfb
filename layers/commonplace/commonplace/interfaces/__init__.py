"""The interfaces. Each one converts requests to tool calls, and results to responses."""
