"""The Model Context Protocol offers the tools, resources and prompts of one memory to any agent that supports MCP."""
