"""Provide what all text analysis shares, such as languages, characters, sentences, tokens and number words."""
