"""Whether what is to be remembered stands on what was said: names, numbers, dates, negations, and where its words are."""
