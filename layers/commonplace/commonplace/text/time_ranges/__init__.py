"""Reading a time range from a search query: "last week", "before 2023", "gestern Abend"."""
