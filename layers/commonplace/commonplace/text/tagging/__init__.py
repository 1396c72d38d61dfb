"""Tags and concepts of a statement, the user's own tags for new ones, and other words for a search; all by rules."""
