"""Which parts of a user's message are their own words; everything else in it is foreign and never becomes a memory."""

from commonplace.extraction.own_words.split import Spans, own_spans

__all__ = ["Spans", "own_spans"]
