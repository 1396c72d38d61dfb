"""Defines the tools, validates their arguments, and renders the manifest and its formats. Contains no use cases."""
