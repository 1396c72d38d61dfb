"""Find the memories that a statement contradicts, and the parts of these memories that stay true."""
