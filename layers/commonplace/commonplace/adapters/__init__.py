"""Adapters behind the ports: databases, models, clocks. Only `bootstrap` imports from here."""
