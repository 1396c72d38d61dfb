"""What is kept of searches, and what is taken out of that when a memory is erased."""

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
    kept = " ".join(query.split())[:_MOST_CHARACTERS]
    ports.search_log.searched(caller.user_id, LoggedSearch(kept, found, caller.now))


def forget_searches(operation: Operation, ports: Ports) -> None:
    """Takes out of the log what was asked about the memories that an operation erases: what shares two stems with one.

    To be called before the operation, while the words are there; harmless twice.
    """
    erased = [_stems(change.before) for change in operation.changes if change.erases and change.before is not None]
    if erased:
        ports.search_log.forget(
            operation.user_id,
            lambda query: any(len(stems.intersection(tokenizer.terms(query))) >= _SHARED for stems in erased),
        )


def _stems(memory: Memory) -> set[str]:
    told = " ".join((memory.raw_text, memory.normalized_text, *memory.tags))
    return set(tokenizer.terms(told, without=_WHOSE))
