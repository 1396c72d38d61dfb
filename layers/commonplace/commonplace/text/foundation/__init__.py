"""What everything that reads text shares: languages, sentences, tokens."""
