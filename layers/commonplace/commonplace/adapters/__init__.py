"""Adapters behind the ports: databases, the index, models, queues, pages. Only `bootstrap` imports from here."""
