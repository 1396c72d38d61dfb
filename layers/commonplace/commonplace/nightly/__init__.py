"""The nightly run: read a day, decide, plan, apply; each step survives a crash, and all of it can be taken back."""
