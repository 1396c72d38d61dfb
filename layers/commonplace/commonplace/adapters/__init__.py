"""What the use cases see through ports: databases, models, clocks. Only `bootstrap` imports from here."""
