"""Find requests to forget in messages, check them, and match them with memories."""
