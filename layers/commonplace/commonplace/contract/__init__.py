"""The contract of the tools: a row for each, the check of arguments, the manifest and its formats. No use case."""
