"""When two memories of one user say the same, so that a merge may be suggested."""
