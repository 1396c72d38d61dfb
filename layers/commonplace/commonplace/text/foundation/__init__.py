"""What everything that reads text shares: languages, characters, sentences, tokens, number words, calendar, English."""
