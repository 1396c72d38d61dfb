"""Finds the newest value of an attribute that changed over time ("I work at Bosch", "I've started at Siemens")."""

from collections.abc import Sequence
from datetime import datetime
from statistics import mode
from typing import TYPE_CHECKING

import numpy as np

from commonplace.domain.memory import Memory
from commonplace.ports.values import Stored

if TYPE_CHECKING:
    from commonplace.ports.index import Flags, Floats

_BEST = 5  # only the first ranks are checked
_ALIKE = 0.55  # the lower score must be at least this share of the higher score
_LEAST_COSINE = 0.25  # texts below this cosine are not compared; above it, the judge decides
_MOST_JUDGED = 8  # only the nearest pairs; each takes 0.5 ms if its texts are new
_NEAREST = 0.1  # a newer value also replaces older values with a cosine up to this much below the nearest
_IF_QUERIED, _IF_SAME_TYPE = -1.0, -0.5  # lower thresholds, because both memories match one query or have one type


def newest_first(scores: "Sequence[float] | Floats", records: Sequence[Stored], now: datetime, model: str) -> list[int]:
    """Return the rank of the hit to show at each place. Of similar hits about one attribute, the newest is first."""
    best, given_scores = records[:_BEST], np.asarray(scores[:_BEST])
    alike = np.minimum.outer(given_scores, given_scores) >= _ALIKE * np.maximum.outer(given_scores, given_scores)
    pairs = _get_pairs(best, np.triu(alike), now, model, _IF_QUERIED)
    if pairs:  # pairs in the right order matter only if another pair moves
        pairs += _get_pairs(best, np.tril(alike), now, model, _IF_QUERIED)
    order = list(range(len(records)))
    for group in _join_pairs(pairs):
        newest = sorted(group, key=lambda place: records[place].memory.happened_at, reverse=True)
        for place, position in zip(sorted(group), newest, strict=True):
            order[place] = position
    return order


def changed_values(records: Sequence[Stored], now: datetime, model: str) -> list[tuple[int, int]]:
    """Return pairs of places (older, newer) with values of the same attribute. Only memories of one type are compared."""
    types = np.array([record.memory.memory_type for record in records])
    return _get_pairs(records, types[:, None] == types[None, :], now, model, _IF_SAME_TYPE)


def _get_pairs(records: Sequence[Stored], allowed: "Flags", now: datetime, model: str, least: float) -> list[tuple[int, int]]:
    """Return the allowed pairs (older, newer) about one attribute. The speaker is the same, the newer day later."""
    known = [
        (place, item.vector) for place, item in enumerate(records) if item.vector is not None and _is_fact(item.memory, model)
    ]
    length = mode(len(vector) for _, vector in known) if known else 0  # other lengths come from damaged records
    known = [(place, vector) for place, vector in known if len(vector) == length]
    if len(known) < 2:
        return []
    places, vectors = np.array([place for place, _ in known]), np.stack([vector for _, vector in known])
    days = np.array([records[place].memory.happened_at.toordinal() for place, _ in known])
    cosines = np.where(days[None, :] > days[:, None], np.vecdot(vectors[:, None], vectors), -1.0)
    near = allowed[np.ix_(places, places)] & (cosines >= np.maximum(cosines.max(axis=0) - _NEAREST, _LEAST_COSINE))
    nearest = sorted(np.argwhere(near).tolist(), key=lambda pair: -cosines[pair[0], pair[1]])[:_MOST_JUDGED]
    pairs = [(int(places[older]), int(places[newer])) for older, newer in nearest]
    return [(place, other) for place, other in pairs if _is_newer_value(records[place], records[other], now, model, least)]


def _is_fact(memory: Memory, model: str) -> bool:
    """Exclude conversation turns, because a turn is true for the time when it was said."""
    return memory.embedding_model == model and memory.position is None


def _is_newer_value(old: Stored, new: Stored, now: datetime, model: str, least: float) -> bool:
    memory, other = old.memory, new.memory
    if (memory.speaker, memory.subject) != (other.speaker, other.subject) or other.happened_at > now:
        return False
    from commonplace.text.paraphrase.judge import is_another_value  # most searches have no such pair

    return is_another_value(memory.content, other.content, old.vector, new.vector, model, least)


def _join_pairs(pairs: Sequence[tuple[int, int]]) -> list[set[int]]:
    groups: list[set[int]] = []
    for pair in pairs:
        linked = [group for group in groups if not group.isdisjoint(pair)]
        groups = [group for group in groups if group not in linked] + [set(pair).union(*linked)]
    return groups
