"""Adapters of `Commonplace` for agent SDKs and frameworks. Each file requires the library of its framework."""
