"""Change many memories in one run. A run saves a plan, limits the changes and applies them, and it can be undone."""
