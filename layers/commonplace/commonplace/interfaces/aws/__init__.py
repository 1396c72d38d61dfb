"""The interfaces on AWS convert each kind of Lambda event to a tool call, and answers to responses of that kind."""
