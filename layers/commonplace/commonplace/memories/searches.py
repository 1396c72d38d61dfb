"""Log searches, and delete stored searches and feedback when a memory is erased."""

from collections.abc import Collection, Iterable

from commonplace.domain.fields import EARLIEST
from commonplace.domain.interactions import ErasedPlace
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, LoggedSearch
from commonplace.text.foundation import tokenizer

_MOST_CHARACTERS = 200
_SHORTEST_ROOT, _LONGEST_ENDING = 4, 2  # in letters, for comparing inflected words
_SUBJECTS = frozenset({"user"})  # all memories are about the user


def log_search(query: str, count: int, caller: Caller, ports: Ports) -> None:
    """Log a query and the number of relevant memories that were found."""
    ports.search_log.searched(caller.user_id, LoggedSearch(logged_query(query), count, caller.now))


def logged_query(query: str) -> str:
    """Return a query in its stored form, with single spaces and at most 200 characters."""
    return " ".join(query.split())[:_MOST_CHARACTERS]


def forget_searches(user_id: str, memories: Iterable[Memory], ports: Ports) -> set[ErasedPlace]:
    """Delete logged searches and feedback about memories to be erased. Returns the names of the stores that changed.

    A query is deleted if one of its stems is in an erased memory but in no active one. No stemmer shortens words with
    non-ASCII letters, so their inflected forms count too. A query is also deleted if an erased memory contains all its stems
    or inflected forms of them, and no active memory contains all the stems. Call this before the words are erased.
    """
    erased = {memory.memory_id: stems for memory in memories if (stems := _compute_stems(memory))}
    if not erased:
        return set()
    queries = [*ports.search_log.queries(user_id), *(rating.query for rating in ports.feedback.ratings(user_id, EARLIEST))]
    own, remaining_stems = frozenset[str]().union(*erased.values()), list[set[str]]()
    if any(_is_inflected(stem, own) for query in queries for stem in _compute_query_terms(query)):
        active = (item for item in ports.records.all(user_id) if item.status == "active" and item.memory_id not in erased)
        remaining_stems = [_compute_stems(memory) for memory in active]
    shared = set[str]().union(*remaining_stems)
    unshared = own - shared

    def mentions_memory(query: str) -> bool:
        words = _compute_query_terms(query)
        if not words.isdisjoint(unshared) or any(
            _is_inflected(word, unshared) and not _is_inflected(word, shared) for word in words if not word.isascii()
        ):
            return True
        if not words or any(words <= stems for stems in remaining_stems):
            return False
        return any(all(_is_inflected(stem, stems) for stem in words) for stems in erased.values())

    forgotten: dict[ErasedPlace, int] = {
        "search_log": ports.search_log.forget(user_id, mentions_memory),
        "feedback": ports.feedback.forget(user_id, lambda rating: mentions_memory(rating.query)),
    }
    return {place for place, count in forgotten.items() if count}


def _is_inflected(stem: str, stems: Collection[str]) -> bool:
    """Return whether a word is in `stems` or differs from a stem only in its last letters. Many languages lack a stemmer."""
    if stem in stems or len(stem) < _SHORTEST_ROOT:
        return stem in stems
    return any(
        known.startswith(stem[: max(_SHORTEST_ROOT, len(stem) - _LONGEST_ENDING)])
        and stem.startswith(known[: max(_SHORTEST_ROOT, len(known) - _LONGEST_ENDING)])
        for known in stems
    )


def _compute_query_terms(query: str) -> set[str]:
    return set(tokenizer.terms(query, without=_SUBJECTS))


def _compute_stems(memory: Memory) -> set[str]:
    texts = (memory.raw_text, memory.normalized_text, *memory.tags, memory.key, memory.user_note, memory.evidence)
    return set(tokenizer.terms(" ".join(filter(None, texts)), without=_SUBJECTS))
