"""Serve the tools, resources and prompts of a memory to any agent that supports the Model Context Protocol (MCP)."""
