"""Changes to many memories at once: planned and saved first, applied under a lease, limited, reviewed, and undoable."""
