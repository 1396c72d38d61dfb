"""The Memory Storage API: memories under short keys, by section, for an agent's own notebook."""
