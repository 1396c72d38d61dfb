"""What is kept of searches and of feedback on them, and what is taken out of that when a memory is erased."""

from collections.abc import Iterable

from commonplace.domain.fields import EARLIEST
from commonplace.domain.interactions import ErasedPlace
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, LoggedSearch
from commonplace.text.foundation import tokenizer

_MOST_CHARACTERS = 200
_SHARED = 2  # stems of one matter
_WHOSE = frozenset({"user"})  # whom all memories are of


def log_search(query: str, found: int, caller: Caller, ports: Ports) -> None:
    """Keeps what was asked, and how many memories were found that match enough."""
    ports.search_log.searched(caller.user_id, LoggedSearch(kept_query(query), found, caller.now))


def kept_query(query: str) -> str:
    """As much of a query as is kept."""
    return " ".join(query.split())[:_MOST_CHARACTERS]


def forget_searches(user_id: str, memories: Iterable[Memory], ports: Ports) -> set[ErasedPlace]:
    """Removes what was asked about memories that are erased, with the feedback on it; tells which of the two changed.

    That is each query which shares two stems with one of them, or one stem that no other active memory has. To be called
    before they are erased, while the words are there; harmless twice.
    """
    erased = {one.memory_id: stems for one in memories if (stems := _stems(one))}
    if not erased:
        return set()
    queries = [one.query for one in ports.search_log.searches(user_id)]
    queries += [one.query for one in ports.feedback.ratings(user_id, EARLIEST)]
    own = frozenset[str]().union(*erased.values())
    if any(own & set(tokenizer.terms(query)) for query in queries):
        others = (one for one in ports.records.all(user_id) if one.status == "active" and one.memory_id not in erased)
        own = own.difference(*map(_stems, others))

    def is_about_one(query: str) -> bool:
        asked = set(tokenizer.terms(query))
        return bool(own & asked) or any(len(stems & asked) >= _SHARED for stems in erased.values())

    forgotten: dict[ErasedPlace, int] = {
        "search_log": ports.search_log.forget(user_id, is_about_one),
        "feedback": ports.feedback.forget(user_id, lambda rating: is_about_one(rating.query)),
    }
    return {place for place, count in forgotten.items() if count}


def _stems(memory: Memory) -> set[str]:
    told = " ".join((memory.raw_text, memory.normalized_text, *memory.tags, memory.key or ""))
    return set(tokenizer.terms(told, without=_WHOSE))
