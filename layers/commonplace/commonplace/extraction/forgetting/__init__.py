"""Find forget requests in messages, check the requests, and match them with memories."""
