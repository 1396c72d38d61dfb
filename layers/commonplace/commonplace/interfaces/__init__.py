"""The interfaces, each of which converts requests to tool calls, and results to responses."""
