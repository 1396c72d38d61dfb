"""The interfaces on AWS. They convert each kind of Lambda event to a tool call, and answers to responses of that kind."""
