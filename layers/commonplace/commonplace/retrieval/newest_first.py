"""Find the newest value of an attribute that changed over time ("I work at Bosch", "I've started at Siemens")."""

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from datetime import datetime
from statistics import mode
from typing import TYPE_CHECKING

import numpy as np

from commonplace.ports.values import Stored
from commonplace.text.foundation import tokenizer

if TYPE_CHECKING:
    from commonplace.ports.index import Floats

_BEST = 10  # only the first ranks are checked
_LEAST_COSINE = 0.15  # a memory is judged only if the cosine with an older one is at least this
_MOST_JUDGED, _MOST_COMPARED = 10, 16  # how many newer memories are judged, and with how many older ones each is compared
_LEAST_SCORE = 1e-6
_MOST_REPLACED = 2  # how many terms of a text a similar text may lack
_ALIKE = 0.3  # the lower score must be at least this share of the higher score
# These are added to the log odds at which a store reports an outdated memory. The sum is lower if both match a query or have
# the same type. It is higher the less relevant the newer memory is, because the query may mean the older memory.
_BOTH_FOUND, _LESS_RELEVANT, _SAME_TYPE = -1.3, 2.0, -0.8


def newest_first(
    scores: "Sequence[float] | Floats", records: Sequence[Stored], now: datetime, model: str, asked: AbstractSet[str]
) -> list[int]:
    """Return the rank of the hit to show at each position. Among similar hits about one attribute, the newest comes first.

    `asked` contains the terms of the query. A memory stays in place if these terms mention its value but no newer value.
    """
    best, logs = records[:_BEST], np.log(np.maximum(scores[:_BEST], _LEAST_SCORE))
    less = np.subtract.outer(logs, logs)  # how much less relevant the newer memory is than the older one
    least = np.where(abs(less) <= -np.log(_ALIKE), _BOTH_FOUND + _LESS_RELEVANT * np.maximum(less, 0), np.inf)
    terms = [set(tokenizer.terms(record.memory.content)) for record in best] if asked else []
    times = [record.memory.happened_at for record in best]
    for at, one in enumerate(terms):
        if any(time > times[at] and _is_only_one_named(one, other, asked) for time, other in zip(times, terms, strict=False)):
            least[at] = least[:, at] = np.inf
    order = list(range(len(records)))
    for group in _join_pairs(_find_changed_pairs(best, least, now, model)):
        newest = sorted(group, key=lambda place: records[place].memory.happened_at, reverse=True)
        for place, position in zip(sorted(group), newest, strict=True):
            order[place] = position
    return order


def _is_only_one_named(one: AbstractSet[str], other: AbstractSet[str], asked: AbstractSet[str]) -> bool:
    """Return whether a query has a word found only in the first of two similar texts, and no word found only in the other."""
    gone, came = one - other, other - one
    return max(len(gone), len(came)) <= _MOST_REPLACED and bool(one & other and gone & asked) and not came & asked


def changed_values(records: Sequence[Stored], now: datetime, model: str) -> list[tuple[int, int]]:
    """Return index pairs (older, newer) of memories about the same attribute. The two memories must have the same type."""
    types = np.array([record.memory.memory_type for record in records])
    return _find_changed_pairs(records, np.where(types[:, None] == types[None, :], _SAME_TYPE, np.inf), now, model)


def _find_changed_pairs(records: Sequence[Stored], least: "Floats", now: datetime, model: str) -> list[tuple[int, int]]:
    """Return the index pairs (older, newer) of memories about one attribute that have the same speaker and subject.

    `least` contains the minimum log odds for each pair. They are infinite for a pair that is not allowed.
    """
    facts = {
        place: item.vector
        for place, item in enumerate(records)
        if item.vector is not None
        and item.memory.embedding_model == model
        and item.memory.position is None  # a turn in a conversation is about the time when it was said
        and item.memory.happened_at <= now
    }
    length = mode(map(len, facts.values())) if facts else 0  # other lengths come from damaged records
    facts = {place: vector for place, vector in facts.items() if len(vector) == length}
    if len(facts) < 2:
        return []
    places, vectors = list(facts), np.stack(list(facts.values()))
    memories, cosines = [records[place].memory for place in places], vectors @ vectors.T
    whose = np.unique([repr((memory.speaker, memory.subject)) for memory in memories], return_inverse=True)[1]
    times = np.array([memory.happened_at.timestamp() for memory in memories])
    older = (whose[:, None] == whose) & (times[:, None] < times)
    allowed = older & (least[np.ix_(places, places)] < np.inf)
    nearest = np.where(allowed, cosines, -1.0).max(axis=0)
    judged = [newer for newer in (-nearest).argsort()[:_MOST_JUDGED].tolist() if nearest[newer] >= _LEAST_COSINE]
    if not judged:
        return []
    from commonplace.text.paraphrase.judge import Comparison, change_odds  # deferred, because few searches need it

    ranked = (-np.where(older, cosines, -np.inf)[:, judged]).argsort(axis=0, kind="stable")[:_MOST_COMPARED].T.tolist()
    compared = {newer: [at for at in old if older[at, newer]] for newer, old in zip(judged, ranked, strict=True)}
    known = [(memory.content, vector) for memory, vector in zip(memories, vectors, strict=True)]
    lists = [Comparison(memories[at].content, vectors[at], [known[old] for old in olds]) for at, olds in compared.items()]
    return [
        (places[at], places[newer])
        for (newer, olds), odds in zip(compared.items(), change_odds(lists, model), strict=True)
        for at, sure in zip(olds, odds.tolist(), strict=True)
        if sure > least[places[at], places[newer]]
    ]


def _join_pairs(pairs: Sequence[tuple[int, int]]) -> list[set[int]]:
    """Join pairs that share an index into groups."""
    groups: list[set[int]] = []
    for pair in pairs:
        linked = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in linked] + [set(pair).union(*linked)]
    return groups
