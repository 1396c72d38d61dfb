"""Provide the basics of all text analysis, such as languages, characters, sentences, tokens and number words."""
