"""The ways in on AWS: every kind of Lambda event becomes a tool call, and its answer that kind's response."""
