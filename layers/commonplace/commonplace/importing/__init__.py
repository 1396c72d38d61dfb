"""What other stores keep, as statements to be taken in: a reader for each kind, and which kind a file is."""
