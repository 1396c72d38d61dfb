"""Prompts, untrusted text in prompts, and the JSON of answers."""
