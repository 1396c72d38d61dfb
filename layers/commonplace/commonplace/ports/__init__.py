"""Protocols for the interfaces that use cases depend on. The adapters for each protocol share one test suite."""
