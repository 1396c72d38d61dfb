"""Adapters for agent SDKs and frameworks over a `Commonplace`, a file each; importing one takes its library."""
