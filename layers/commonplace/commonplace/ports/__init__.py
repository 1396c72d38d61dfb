"""Protocols for the interfaces that use cases depend on. All adapters of a protocol pass the same test suite."""
