"""Adapters that implement the ports: databases, the index, models, queues and web pages. Only `bootstrap` imports them."""
