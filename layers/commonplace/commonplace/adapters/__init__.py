"""What the use cases see through ports: databases, models, clocks. Only `wiring.py` imports from here."""
