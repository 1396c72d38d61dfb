"""The Model Context Protocol. It offers the tools, resources and prompts of one memory to any agent with MCP."""
