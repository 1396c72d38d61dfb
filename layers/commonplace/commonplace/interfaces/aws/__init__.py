"""Converts each kind of Lambda event to a tool call, and the answer to a response of that kind."""
