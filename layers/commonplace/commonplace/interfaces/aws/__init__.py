"""The interfaces on AWS: every kind of Lambda event becomes a tool call, and its answer a response of that kind."""
