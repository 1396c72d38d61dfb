"""Find the memories that a statement contradicts, and the parts of them that remain true."""
