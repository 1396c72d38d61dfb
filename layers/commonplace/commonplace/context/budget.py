"""How many tokens a text has at the most, whichever model reads it."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

_TOKENS_A_PIECE, _BYTES_A_TOKEN = 1.5, 3


@dataclass(frozen=True)
class Size:
    """The size of whole lines: word pieces of the shipped tokenizer, and UTF-8 bytes with the line break of each."""

    pieces: int = 0
    bytes: int = 0

    @classmethod
    def of(cls, line: str, pieces: Callable[[str], int]) -> Self:
        """A line's own; `pieces` counts the word pieces of a text, which no line break joins."""
        return cls(pieces(line), len(line.encode()) + 1)

    def __add__(self, other: "Size") -> "Size":
        return Size(self.pieces + other.pieces, self.bytes + other.bytes)

    @property
    def tokens(self) -> int:
        """An upper bound: the larger of 1.5 times the word pieces and a third of the bytes, rounded up."""
        without_the_last_break = max(0, self.bytes - 1)
        return max(math.ceil(self.pieces * _TOKENS_A_PIECE), math.ceil(without_the_last_break / _BYTES_A_TOKEN))
