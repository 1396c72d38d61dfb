"""Judge whether two memories of one user say the same, and whether the newer memory makes the older memory untrue."""
