"""Define the memory record, the requests and results of each tool, the vocabularies, and the errors."""
