"""Change many memories in one run. A run saves a plan, limits the changes and applies them. A run can be undone."""
