"""Connects the ports to their adapters. Only this package imports adapters, each when it is first needed."""
