"""Adapters of `Commonplace` for agent SDKs and frameworks, a file each; importing one requires its library."""
