"""The function `mcp`: the tools over the Model Context Protocol, each done by its own function."""

from commonplace.interfaces.aws import mcp_function

handler = mcp_function.handle
