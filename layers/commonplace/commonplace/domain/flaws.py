"""Records that can't be read, or only with a clamped date: reported where they are read, named in the answer."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Flaws:
    """Flaws of records, gathered while reading.

    `unreadable` has the ids of unreadable memories, each with its user. `held` has the ids of memories with a date beyond the
    bounds, each with the fields that are read as the nearest bound.
    """

    unreadable: dict[str, str] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)

    @property
    def note(self) -> str | None:
        """A line about unreadable memories, or None if there are none."""
        if not self.unreadable:
            return None
        ids = ", ".join(self.unreadable)
        return f"these memories can't be read, and were left out: {ids}; commonplace doctor lists them"


_gathering: ContextVar[tuple[Flaws, ...]] = ContextVar("gathering", default=())


@contextmanager
def gathered() -> Iterator[Flaws]:
    """Gather the flaws of all records that are read inside the block. Blocks may be nested."""
    flaws = Flaws()
    before = _gathering.set((*_gathering.get(), flaws))
    try:
        yield flaws
    finally:
        _gathering.reset(before)


def report_unreadable(user_id: str, memory_id: str) -> bool:
    """Report a record that is left out. Returns whether a gathering will name it."""
    for flaws in _gathering.get():
        flaws.unreadable[memory_id] = user_id
    return bool(_gathering.get())


def report_clamped(memory_id: str, name: str) -> None:
    """Report a date that is read as the nearest bound."""
    for flaws in _gathering.get():
        names = flaws.held.setdefault(memory_id, [])
        names += [name] if name not in names else []
