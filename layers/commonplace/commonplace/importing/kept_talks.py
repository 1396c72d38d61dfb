"""Talks in order of their time, in a file of their own until they are read: all of them might not fit into memory."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import IO, Any

from commonplace.domain.imports import RefusedEntry


@dataclass(frozen=True)
class LeftOut:
    """How much of what was read so far is not taken in, by the reason."""

    reasons: Counter[str]


Talks = Iterator[dict[str, Any] | RefusedEntry | LeftOut]
"""Talks, what can't be read, and how much is not read for which reason."""


@dataclass(frozen=True)
class KeptTalk:
    """A talk that lies in the file: its time, ISO 8601 in UTC, its name, and where."""

    time: str
    name: str
    file: IO[bytes]
    at: int

    def load(self) -> dict[str, Any]:
        self.file.seek(self.at)
        found: dict[str, Any] = json.loads(self.file.readline())
        return found


@contextmanager
def in_order(given: Talks, refused: list[RefusedEntry], left_out: Counter[str]) -> Iterator[tuple[list[KeptTalk], int]]:
    """The talks by their time, and how many entries there were; those that can't be read go to `refused`, and what is not
    read is counted in `left_out`. Of one that comes twice the first stays."""
    with TemporaryFile() as file:
        kept, entries = dict[str, KeptTalk](), 0
        for one in given:
            if isinstance(one, LeftOut):
                left_out.update(one.reasons)
                continue
            entries += 1
            if isinstance(one, RefusedEntry):
                refused.append(one)
            elif one["id"] not in kept:
                kept[one["id"]] = KeptTalk(one["time"], one["id"], file, file.tell())
                file.write(json.dumps(one).encode() + b"\n")
        yield sorted(kept.values(), key=lambda one: (one.time, one.name)), entries
