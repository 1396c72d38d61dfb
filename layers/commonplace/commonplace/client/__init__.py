"""Provides the Python interface."""
