"""Which parts of a user's message are their own words; everything else in it is foreign and never becomes a memory."""
