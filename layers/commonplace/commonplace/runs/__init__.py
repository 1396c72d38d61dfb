"""Change many memories in one run: plan and save the changes, limit or review them, apply them under a lease, undo them."""
