"""Turn the messages of a day into decisions about memories. The same gates check the decisions of all readers."""
