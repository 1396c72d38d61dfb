"""What of the records can't be read, or only with a date held at a bound: told where it is met, named in the answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Flaws:
    """What was met while it was gathered.

    `unreadable`: the ids of memories of which nothing could be read, each with its user; `held`: the ids of those with a
    date beyond the bounds, each with the fields that are read as the nearest bound.
    """

    unreadable: dict[str, str] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)

    @property
    def note(self) -> str | None:
        """A line about what could not be read; None where all could."""
        if not self.unreadable:
            return None
        ids = ", ".join(self.unreadable)
        return f"these memories can't be read, and were left out: {ids}; commonplace doctor lists them"


_gathering: ContextVar[tuple[Flaws, ...]] = ContextVar("gathering", default=())


@contextmanager
def gathered() -> Iterator[Flaws]:
    """Gathers what is met inside, in this thread; one gathering may stand in another."""
    found = Flaws()
    before = _gathering.set((*_gathering.get(), found))
    try:
        yield found
    finally:
        _gathering.reset(before)


def tell_unreadable(user_id: str, memory_id: str) -> bool:
    """Tells of a record that is left out. Returns whether somebody gathers it, and so will name it."""
    for one in _gathering.get():
        one.unreadable[memory_id] = user_id
    return bool(_gathering.get())


def tell_held(memory_id: str, name: str) -> None:
    """Tells of a date that is read as the nearest bound."""
    for one in _gathering.get():
        names = one.held.setdefault(memory_id, [])
        names += [name] if name not in names else []
