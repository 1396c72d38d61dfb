"""Converts Lambda events of every kind to tool calls, and answers to responses of the same kind."""
