"""The shared foundation of all text analysis: languages, characters, sentences, tokens, number words, calendar, English."""
