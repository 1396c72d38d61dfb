"""Adapters that implement the ports with databases, an index, models, queues and files. Only `bootstrap` imports them."""
