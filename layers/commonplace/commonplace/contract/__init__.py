"""The contract of the tools: a row per tool, validation of arguments, the manifest and its formats. No use cases."""
