"""Stored searches and feedback, and their removal when a memory is erased."""

from collections.abc import Collection, Iterable

from commonplace.domain.fields import EARLIEST
from commonplace.domain.interactions import ErasedPlace
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, LoggedSearch
from commonplace.text.foundation import tokenizer

_MOST_CHARACTERS = 200
_SHORTEST_ROOT, _LONGEST_ENDING = 4, 2  # letters of an inflected word
_WHOSE = frozenset({"user"})  # all memories are about the user


def log_search(query: str, found: int, caller: Caller, ports: Ports) -> None:
    """Store a query with the number of relevant memories found."""
    ports.search_log.searched(caller.user_id, LoggedSearch(kept_query(query), found, caller.now))


def kept_query(query: str) -> str:
    """Return the part of a query that is stored."""
    return " ".join(query.split())[:_MOST_CHARACTERS]


def forget_searches(user_id: str, memories: Iterable[Memory], ports: Ports) -> set[ErasedPlace]:
    """Delete searches about memories to be erased, with their feedback. Returns which of the two changed.

    Deletes each query with a stem that no other active memory has, and each whose stems, in any inflection, are all in an
    erased memory but not all in another active one. Call it before the erasure, while the words exist. Safe to repeat.
    """
    erased = {one.memory_id: stems for one in memories if (stems := _stems(one))}
    if not erased:
        return set()
    queries = [*ports.search_log.queries(user_id), *(one.query for one in ports.feedback.ratings(user_id, EARLIEST))]
    own, others = frozenset[str]().union(*erased.values()), list[set[str]]()
    if any(_is_inflected(stem, own) for query in queries for stem in _query_terms(query)):
        active = (one for one in ports.records.all(user_id) if one.status == "active" and one.memory_id not in erased)
        others = [_stems(one) for one in active]
    held = set[str]().union(*others)

    def is_about_one(query: str) -> bool:
        asked = _query_terms(query)
        if not asked.isdisjoint(own - held):
            return True
        if not asked or any(asked <= stems for stems in others):
            return False
        return any(all(_is_inflected(stem, stems) for stem in asked) for stems in erased.values())

    forgotten: dict[ErasedPlace, int] = {
        "search_log": ports.search_log.forget(user_id, is_about_one),
        "feedback": ports.feedback.forget(user_id, lambda rating: is_about_one(rating.query)),
    }
    return {place for place, count in forgotten.items() if count}


def _is_inflected(stem: str, stems: Collection[str]) -> bool:
    """Whether it is one of the stems, or differs from one in a few final letters, for languages that aren't stemmed."""
    if stem in stems or len(stem) < _SHORTEST_ROOT:
        return stem in stems
    return any(
        one.startswith(stem[: max(_SHORTEST_ROOT, len(stem) - _LONGEST_ENDING)])
        and stem.startswith(one[: max(_SHORTEST_ROOT, len(one) - _LONGEST_ENDING)])
        for one in stems
    )


def _query_terms(query: str) -> set[str]:
    return set(tokenizer.terms(query, without=_WHOSE))


def _stems(memory: Memory) -> set[str]:
    told = (memory.raw_text, memory.normalized_text, *memory.tags, memory.key, memory.user_note, memory.evidence)
    return set(tokenizer.terms(" ".join(filter(None, told)), without=_WHOSE))
