"""Keeps one user's memories as columns in main memory. Each search first reads changes from the file, then scans the columns.

Vectors are converted to float32, because computing with float16 is slow. An exact scan of 100,000 vectors with 256 dimensions
takes 16 ms and 102 MB. With sqlite-vec, the scan took 70 ms, and many Python builds can't load sqlite-vec.
"""

import sqlite3
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from commonplace.adapters.sqlite.rows import shown_id
from commonplace.memories.vectors import from_bytes
from commonplace.ports.index import Flags, Floats, Integers
from commonplace.ports.values import Vector
from commonplace.retrieval.candidate_rows import NOBODY, years_of

_QUERY = """SELECT row, memory_id, status, agent_id, importance, happened_at, happened_day, created_at, valid_from,
    valid_to, expires_at, session_id, position, speaker, length, question, instruction, preference, embedding,
    embedding_model, change
    FROM memories WHERE owner = ? AND change > ? ORDER BY row"""
_KINDS: dict[str, str] = {
    "row": "i8", "active": "?", "agent": "i4", "importance": "f4", "happened_at": "f8", "day": "i4", "created_at": "f8",
    "valid_from": "f8", "valid_to": "f8", "expires_at": "f8", "session": "i4", "position": "i8", "speaker": "i4",
    "length": "i4", "question": "?", "instruction": "?", "preference": "?", "has_vector": "?", "other_model": "?",
}  # fmt: skip
_BLOCK = 8192


class NameNumbers:
    """Maps names to consecutive numbers starting at 0, and None to -1."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}
        self.listed: list[str] = []

    def number(self, name: str | None) -> int:
        """Return the number of a name. A new name gets a new number."""
        if name is None:
            return -1
        if name not in self._numbers:
            self._numbers[name] = len(self.listed)
            self.listed.append(name)
        return self._numbers[name]


class Columns:
    """All memories of one user, with one slot per memory. Vectors are stored in blocks, so that growth never copies them."""

    def __init__(self, owner: int, embedding_model: str, dimension: int) -> None:
        self.owner, self._model, self._dimension = owner, embedding_model, dimension
        self._change = 0
        self._slots: dict[int, int] = {}
        self._numbers = {name: np.zeros(0, dtype=kind) for name, kind in _KINDS.items()}
        self._vectors: list[npt.NDArray[np.float32]] = []
        self.ids: list[str] = []
        self.damaged: dict[int, str] = {}
        """Maps the slots of memories with an unreadable column to their ids. Searches don't find these memories."""
        self.agents, self.sessions, self.speakers = NameNumbers(), NameNumbers(), NameNumbers()
        self._by_place: tuple[Integers, Integers] | None = None
        self._totals: Totals | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, name: str) -> npt.NDArray[Any]:
        return self._numbers[name][: len(self)]

    def refresh(self, connection: sqlite3.Connection) -> None:
        """Read all changes that have been written since the last call, by any process."""
        newest = self._change
        # Slots are in the order of row numbers, because rows are read in order and row numbers are never reused.
        for row in connection.execute(_QUERY, (self.owner, self._change)):
            self._by_place = self._totals = None
            self._read_row(row)
            newest = max(newest, row[-1]) if isinstance(row[-1], int) else newest
        self._change = newest  # set last, so that after an error the next call reads all rows again

    def slots(self, rows: Integers) -> Integers:
        """Return the slots of the given rows. Rows without a memory, which a damaged word index may list, are left out."""
        own = self["row"]
        places = np.searchsorted(own, rows)
        inside = places < len(own)
        places = places[inside]
        known: Integers = places[own[places] == rows[inside]]
        return known

    def by_place(self) -> tuple[Integers, Integers]:
        """Return the slots in the order of session and position, with their numbers from `place_numbers`."""
        if self._by_place is None:
            places = place_numbers(self["session"], self["position"])
            order = np.argsort(places, kind="stable")
            self._by_place = order, places[order]
        return self._by_place

    def cosines(self, vector: Vector | None) -> Floats:
        """Return the cosine of each memory's vector with a unit vector, or NaN for a memory without a vector."""
        if vector is None:
            return np.full(len(self), np.nan, dtype=np.float32)
        scores = np.empty(len(self), dtype=np.float32)
        for first, block in zip(range(0, len(self), _BLOCK), self._vectors, strict=True):
            used = scores[first : first + _BLOCK]
            # `block @ vector` would use BLAS threads, which block each other on a busy machine
            np.vecdot(block[: len(used)], vector, out=used)
        return np.where(self["has_vector"], scores, np.float32(np.nan))

    def visible(self, agents: tuple[str, ...], now: float, include_expired: bool) -> Flags:
        """Flag the agents' active and currently valid memories. Flag expired ones only if `include_expired` is true."""
        allowed = np.array([name in agents for name in self.agents.listed], dtype=np.bool_)
        flags: Flags = self["active"] & np.take(allowed, self["agent"]) & (self["valid_from"] <= now)
        flags &= self["valid_to"] > now
        return flags if include_expired else flags & (self["expires_at"] > now)

    def totals(self, visible: Flags) -> "Totals":
        """Return statistics about the visible memories, which are cached until the data or the visible memories change."""
        if self._totals is None or not np.array_equal(self._totals.of, visible):
            self._totals = Totals.counted(self, visible)
        return self._totals

    def _read_row(self, stored: tuple[Any, ...]) -> None:
        """Write a row into its slot. A damaged row becomes inactive and is listed in `damaged`."""
        (row, memory_id, status, agent, importance, happened, day, created, valid_from, valid_to, expires, session,
         position, speaker, length, question, instruction, preference, embedding, model, _) = stored  # fmt: skip
        slot = self._slots.setdefault(row, len(self.ids))
        if slot == len(self.ids):
            self._add_slot(memory_id)
        same = embedding is not None and model == self._model
        vector = from_bytes(embedding, self._dimension) if same else None
        values = (
            row, status == "active", self.agents.number(agent), importance, happened, day, created,
            -np.inf if valid_from is None else valid_from, np.inf if valid_to is None else valid_to,
            np.inf if expires is None else expires, self.sessions.number(session if position is not None else None),
            -1 if position is None else position, self.speakers.number(speaker and str(speaker).lower()), length, question,
            instruction, preference, vector is not None, embedding is not None and not same,
        )  # fmt: skip
        try:
            for column, value in zip(self._numbers.values(), values, strict=True):
                column[slot] = value
            self.damaged.pop(slot, None)
        except (ValueError, TypeError, OverflowError):
            self._numbers["active"][slot] = False
            self.damaged[slot] = shown_id(memory_id)
        if vector is not None:
            self._vectors[slot // _BLOCK][slot % _BLOCK] = vector

    def _add_slot(self, memory_id: str) -> None:
        if len(self) == len(self._vectors) * _BLOCK:
            for name, column in self._numbers.items():
                self._numbers[name] = np.concatenate([column, np.zeros(_BLOCK, dtype=column.dtype)])
            self._vectors.append(np.zeros((_BLOCK, self._dimension), dtype=np.float32))
        self.ids.append(memory_id)


@dataclass(frozen=True)
class Totals:
    """Statistics about the memories flagged in `of`. `session_means[n + 1]` is session `n`'s mean tokens per memory."""

    of: Flags
    memories: int
    average_length: float
    speakers: frozenset[str]
    years: tuple[int, ...]
    session_means: Floats

    @classmethod
    def counted(cls, columns: Columns, visible: Flags) -> Self:
        lengths, places = columns["length"][visible], columns["session"][visible] + 1
        sessions = len(columns.sessions.listed) + 1
        tokens = np.bincount(places, lengths, sessions)
        speaking = np.bincount(columns["speaker"][visible] + 1, minlength=1)[1:]
        return cls(
            of=visible,
            memories=len(lengths),
            average_length=float(lengths.mean()) if len(lengths) else 1.0,
            speakers=frozenset(name for name, speaks in zip(columns.speakers.listed, speaking, strict=False) if speaks)
            - NOBODY,
            years=years_of(columns["day"][visible]),
            session_means=tokens / np.maximum(np.bincount(places, minlength=sessions), 1),
        )


def place_numbers(sessions: Integers, positions: Integers) -> Integers:
    """Combine session and position into one number, or -1 without a session. Within a session, differences are distances."""
    return np.where(sessions >= 0, sessions.astype(np.int64) * 2**33 + positions, -1)
