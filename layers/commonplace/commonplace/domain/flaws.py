"""Collect the ids of records that are unreadable or contain a clamped date, so that an answer can list these ids."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field


@dataclass
class Flaws:
    """The flaws found in records that were read.

    `unreadable` maps the id of each unreadable memory to its user. `held` maps the id of each memory with out-of-range dates
    to the names of the date fields. These dates are read as the nearest bound.
    """

    unreadable: dict[str, str] = field(default_factory=dict)
    held: dict[str, list[str]] = field(default_factory=dict)

    @property
    def note(self) -> str | None:
        """A note that lists the unreadable memories, or None if there are none."""
        if not self.unreadable:
            return None
        ids = ", ".join(self.unreadable)
        return f"these memories can't be read, and were left out: {ids}; commonplace doctor lists them"


_gathering: ContextVar[tuple[Flaws, ...]] = ContextVar("gathering", default=())


@contextmanager
def gathered() -> Iterator[Flaws]:
    """Collect the flaws of all records that are read inside the `with` block. Blocks may be nested."""
    flaws = Flaws()
    before = _gathering.set((*_gathering.get(), flaws))
    try:
        yield flaws
    finally:
        _gathering.reset(before)


def report_unreadable(user_id: str, memory_id: str) -> bool:
    """Report that an unreadable record was skipped. Returns whether the call is inside a `gathered` block."""
    for flaws in _gathering.get():
        flaws.unreadable[memory_id] = user_id
    return bool(_gathering.get())


def report_clamped(memory_id: str, name: str) -> None:
    """Report that a memory's date field `name` is out of range and was read as the nearest bound."""
    for flaws in _gathering.get():
        names = flaws.held.setdefault(memory_id, [])
        names += [name] if name not in names else []
