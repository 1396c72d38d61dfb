"""Defines the tools, validates their arguments, and renders the manifest in several formats. It contains no use cases."""
