"""Forget requests: found in messages, checked, and matched with memories."""
