"""What is kept of searches and of feedback on them, and what is taken out of that when a memory is erased."""

from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.record_values import Operation
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


def forget_searches(operation: Operation, ports: Ports) -> None:
    """Takes out what was asked about the memories that an operation erases, with what was told of it as feedback: each query
    that shares two stems with one of them.

    To be called before the operation, while the words are there; harmless twice.
    """
    erased = [_stems(change.before) for change in operation.changes if change.erases and change.before is not None]

    def is_about_one(query: str) -> bool:
        asked = set(tokenizer.terms(query))
        return any(len(stems & asked) >= _SHARED for stems in erased)

    if erased:
        ports.search_log.forget(operation.user_id, is_about_one)
        ports.feedback.forget(operation.user_id, lambda rating: is_about_one(rating.query))


def _stems(memory: Memory) -> set[str]:
    told = " ".join((memory.raw_text, memory.normalized_text, *memory.tags))
    return set(tokenizer.terms(told, without=_WHOSE))
