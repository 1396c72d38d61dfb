"""Adapt `Commonplace` to agent SDKs and frameworks. Each adapter requires the library of its framework."""
