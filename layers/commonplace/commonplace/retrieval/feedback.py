"""Adjust the scores of memories based on the feedback that they got for similar queries."""

import functools
from collections import Counter

from commonplace.memories.searches import logged_query
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.retrieval.query import own_terms
from commonplace.text.foundation import tokenizer

_ALIKE = 0.6  # the minimum Jaccard index for the stems of two similar queries
_SHARE, _MOST = 0.03, 0.06  # per rating and in total; below the score that gives the default relevance of 0.3


def rated_by_feedback(query: str, caller: Caller, ports: Ports) -> dict[str, float]:
    """Return a score adjustment, by memory id, for each memory that was rated for similar queries."""
    stems = content_stems(query)
    ratings = ports.feedback.ratings(caller.user_id, caller.now) if stems else []
    read = {query: content_stems(query) for query in {rating.query for rating in ratings}}
    alike = {query for query, other in read.items() if len(stems & other) >= _ALIKE * len(stems | other)}
    votes: Counter[str] = Counter()
    for rating in ratings:
        if rating.query in alike:
            votes[rating.memory_id] += 1 if rating.useful else -1
    return {memory_id: max(-_MOST, min(_MOST, _SHARE * count)) for memory_id, count in votes.items() if count}


@functools.lru_cache(maxsize=1024)  # with 500 ratings, a search takes 9 ms without the cache and 3 ms with it
def content_stems(query: str) -> frozenset[str]:
    """Return the stems by which queries are compared. Question words and text beyond the logged part are left out."""
    return frozenset(own_terms(logged_query(query))) - tokenizer.terms_of_asking()
