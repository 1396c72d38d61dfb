"""Memories put into a context until there is no room: whole or not at all, for half a fact may say the opposite."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from commonplace.context.budget import Size
from commonplace.context.groups import Group
from commonplace.context.text import CLOSING, EMPTY, OPENING, line_of
from commonplace.models.memory import Memory


@dataclass(frozen=True)
class Fitted:
    """A context. `tokens`: its upper bound, wrapper included; `left_out`: how many memories found no room."""

    text: str
    tokens: int
    memory_ids: list[str]
    left_out: int


def fit(groups: Sequence[Group], max_tokens: int, pieces: Callable[[str], int], nothing: str = EMPTY) -> Fitted:
    """As much as fits. What always matters gets half of the room beside the wrapper at the most; each memory stands once.

    `nothing`: what stands there where no memory was found.
    """
    room = _Room(pieces)
    half = (max_tokens + room.size.tokens) // 2
    wanted: set[str] = set()
    for group in groups:
        room.open(group.heading)
        for memory in group.memories:
            wanted.add(memory.memory_id)
            room.take(memory, group.dated, half if group.always else max_tokens)
    return room.fitted(len(wanted), nothing)


class _Room:
    """The lines so far, and what they take together with the wrapper."""

    def __init__(self, pieces: Callable[[str], int]) -> None:
        self._pieces = pieces
        self._lines: list[str] = []
        self._ids: list[str] = []
        self._heading: str | None = None
        self._taken: set[str] = set()
        self.size = sum((Size.of(line, pieces) for line in (*OPENING, CLOSING)), Size())

    def open(self, heading: str) -> None:
        """What is taken from now on stands under this heading, which is written with the first of it."""
        self._heading = f"## {heading}"

    def take(self, memory: Memory, dated: bool, most: int) -> None:
        """Takes a memory in unless it is in already or all together would be more than `most` tokens."""
        if memory.memory_id in self._taken:
            return
        lines = [*([self._heading] if self._heading else []), line_of(memory, dated)]
        size = sum((Size.of(line, self._pieces) for line in lines), self.size)
        if size.tokens <= most:
            self._taken.add(memory.memory_id)
            self._ids.append(memory.memory_id)
            self._lines += lines
            self._heading, self.size = None, size

    def fitted(self, wanted: int, nothing: str) -> Fitted:
        """What was taken in, of so many memories; `nothing`: what is told where there were none."""
        lines, size = self._lines, self.size
        if not wanted:
            lines, size = [nothing], size + Size.of(nothing, self._pieces)
        return Fitted("\n".join((*OPENING, *lines, CLOSING)), size.tokens, self._ids, wanted - len(self._ids))
