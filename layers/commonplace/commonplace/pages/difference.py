"""Compare edited pages with the current memories."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from functools import cached_property
from typing import Literal

from commonplace.domain.memory import Memory
from commonplace.domain.storage import folded_key
from commonplace.pages.page import Page, PageEntry, text_of, was_moved_to, zone_of
from commonplace.ports.bundle import Ports
from commonplace.ports.records import MemoryRecords
from commonplace.ports.values import Caller, Visibility
from commonplace.retrieval.record_scan import is_visible
from commonplace.runs.undo import changes_since

Kind = Literal["add", "edit", "move", "remove", "conflict"]
_CHANGED = "it was changed since the page was written"
_CLOSED = "it was closed since the page was written"
_NO_WORDS = "no words are left of it; take the whole line out to delete it"


@dataclass(frozen=True)
class MemoriesById:
    """All memories of a user by id, even closed ones. Pages show the current memories of every agent."""

    memories: Mapping[str, Memory]
    visibility: Visibility
    records: MemoryRecords
    zone: tzinfo

    @cached_property
    def current(self) -> list[Memory]:
        """The memories that pages show."""
        return [memory for memory in self.memories.values() if self.is_current(memory)]

    def is_current(self, memory: Memory) -> bool:
        """Return whether pages show the memory."""
        return is_visible(self.visibility, memory)

    def changed_since(self, memory: Memory, version: int) -> bool:
        """Return whether a memory was changed since a version, other than by counting uses or by a new embedding."""
        return version > memory.version or bool(changes_since(memory, version, self.records))


def read_record(caller: Caller, ports: Ports) -> MemoriesById:
    """Return all memories of the user by id. Its visibility covers every agent, but no expired memories."""
    memories = {memory.memory_id: memory for memory in ports.records.all(caller.user_id)}
    agents = tuple({memory.agent_id for memory in memories.values()})
    return MemoriesById(memories, Visibility(caller.user_id, agents, caller.now), ports.records, zone_of(caller))


@dataclass(frozen=True)
class Difference:
    """A difference between a page and the memories. `line` is None for a removed entry, and `memory` for a new one.

    A difference of the kind `move` may change anything except the text.
    """

    kind: Kind
    page: Page
    line: PageEntry | None = None
    memory: Memory | None = None
    why: str = ""

    @property
    def place(self) -> str:
        """The page and line of the difference."""
        return f"{self.page.name}, line {self.line.number}" if self.line else self.page.name


def differences(pages: Sequence[Page], record: MemoriesById) -> list[Difference]:
    """Return the differences between pages and memories, page by page.

    If a memory has changed since its page was written, an edit or a removal of its entry is a `conflict`. An entry that was
    not edited is just outdated.
    """
    entries = _find_entries(pages, record)
    differences: list[Difference] = []
    edited = [page for page in pages if page.edited]
    for page in edited:
        for line in page.lines:
            if line.memory_id is None or entries[line.memory_id] != (page.name, line.number):
                differences += _find_new_entry(page, line, record)
            else:
                differences += _compare_entry(page, line, record.memories.get(line.memory_id), record)
    taken_out = {memory_id: page for page in edited if page.whole for memory_id in page.listed if memory_id not in entries}
    return differences + [item for memory_id, page in taken_out.items() for item in _find_removed(page, memory_id, record)]


def _find_entries(pages: Sequence[Page], record: MemoriesById) -> dict[str, tuple[str, int]]:
    """Return the page and line of each memory's entry. Of several, the first with its text counts, or else the first."""
    owners: dict[str, tuple[bool, tuple[str, int]]] = {}
    for page in pages:
        for line in page.lines:
            if line.memory_id is None:
                continue
            memory = record.memories.get(line.memory_id)
            same = memory is not None and text_of(memory) == line.text
            if line.memory_id not in owners or (same and not owners[line.memory_id][0]):
                owners[line.memory_id] = same, (page.name, line.number)
    return {memory_id: place for memory_id, (_, place) in owners.items()}


def _find_new_entry(page: Page, line: PageEntry, record: MemoriesById) -> Iterator[Difference]:
    """Yield the addition of an entry, unless it has no text or repeats the current memory with its id."""
    copied = record.memories.get(line.memory_id or "")
    if line.text.strip() and (copied is None or not record.is_current(copied) or text_of(copied) != line.text):
        yield Difference("add", page, line)


def _compare_entry(page: Page, line: PageEntry, memory: Memory | None, record: MemoriesById) -> Iterator[Difference]:
    """Yield a change to the memory or a conflict. If the memory is gone and the page did not list it, yield an addition."""
    assert line.memory_id is not None
    if memory is None or not record.is_current(memory):
        if line.memory_id not in page.listed:
            yield from _find_new_entry(page, line, record)
        elif memory is None or not _is_restated(memory, line.text, record):
            yield Difference("conflict", page, line, memory, _CLOSED)
        return
    kind = _find_change(page, line, memory, record.zone)
    if kind is None:
        return
    if line.version is not None and record.changed_since(memory, line.version):
        yield Difference("conflict", page, line, memory, _CHANGED)
    elif not line.text.strip():
        yield Difference("conflict", page, line, memory, _NO_WORDS)
    else:
        yield Difference(kind, page, line, memory)


def _find_change(page: Page, line: PageEntry, memory: Memory, zone: tzinfo) -> Literal["edit", "move"] | None:
    if line.text != text_of(memory):
        return "edit"
    under_another = line.section is not None and line.section != memory.section
    same_key = line.key == memory.key or (line.key is not None and folded_key(line.key) == memory.key)
    return "move" if under_another or not same_key or was_moved_to(page, memory, zone) else None


def _is_restated(memory: Memory, text: str, record: MemoriesById) -> bool:
    """Return whether the memory or its successor already has this text. The entry is then unchanged or was applied before."""
    later = record.memories.get(memory.superseded_by or "")
    return text in (text_of(memory), text_of(later) if later else None)


def _find_removed(page: Page, memory_id: str, record: MemoriesById) -> Iterator[Difference]:
    """Yield the removal of a current memory, or a conflict if it was changed since the page was written."""
    memory = record.memories.get(memory_id)
    if memory is None or not record.is_current(memory):
        return
    changed = record.changed_since(memory, page.listed[memory_id])
    yield Difference("conflict" if changed else "remove", page, None, memory, _CHANGED if changed else "")
