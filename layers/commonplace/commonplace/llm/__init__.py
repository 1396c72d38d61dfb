"""Load prompts, mark untrusted text in them, and parse the JSON of answers."""
