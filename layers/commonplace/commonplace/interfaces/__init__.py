"""The ways in: each turns its own form into a tool call and back."""
