"""The interfaces that use cases depend on, as protocols. All adapters of a protocol pass the same test suite."""
