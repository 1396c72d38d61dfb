"""Composes the ports. Only this package imports adapters, and each adapter is imported when it is first needed."""
