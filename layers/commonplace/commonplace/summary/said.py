"""A summary, however it was made."""

from dataclasses import dataclass

FEWEST, MOST = 3, 6
"""Sentences of a summary; fewer where the memories hold no more."""


@dataclass(frozen=True)
class KeyPoint:
    """One thing that memories say, and the ids of those."""

    text: str
    ids: tuple[str, ...]


@dataclass(frozen=True)
class Summary:
    """The sentences, the most relevant first, and the points."""

    sentences: tuple[str, ...]
    points: tuple[KeyPoint, ...]
