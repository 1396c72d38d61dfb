"""The nightly run: reads a day, decides, plans and applies. Each step survives a crash, and everything can be undone."""
