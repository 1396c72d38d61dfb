"""Whether what is to be remembered stands on what was said: names, numbers, dates, negations, and where its words are."""

from commonplace.extraction.support.quoted import clauses_around, in_own_words
from commonplace.extraction.support.verdict import unsupported

__all__ = ["clauses_around", "in_own_words", "unsupported"]
