"""Converts Lambda events of every kind to tool calls, and converts each answer to a response of the same kind."""
