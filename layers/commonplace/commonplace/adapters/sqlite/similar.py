"""Older memories that share words with a new one, at a cost that doesn't grow with the store."""

import math
import sqlite3
from collections.abc import Sequence

import numpy as np

from commonplace.adapters.sqlite import filters, words
from commonplace.adapters.sqlite.rows import known_owner
from commonplace.models.memory import Memory
from commonplace.ports import Similar, Vector, Visibility

_ROWS = 1_500
_RAREST_TERMS = 6
_READ = 20


def similar(
    connection: sqlite3.Connection, seen: Visibility, terms: Sequence[str], vector: Vector | None, model: str
) -> list[Similar]:
    """Up to 20 visible memories, nearest first: by the share of rare words they have in common, and by cosine."""
    owner = known_owner(connection, seen.user_id)
    shares = _shared_words(connection, owner, terms) if owner is not None else {}
    visible, values = filters.visible(seen)
    found = connection.execute(
        f"SELECT row, record, embedding, embedding_model FROM memories WHERE row IN ({','.join('?' * len(shares))})"
        f" AND {visible}",
        (*shares, *values),
    ).fetchall()
    scored = []
    for row, record, blob, made_by in found:
        memory = Memory.kept(record)
        cosine = _cosine(vector, blob) if made_by == model else None
        scored.append((-shares[row] - (cosine or 0.0), Similar(memory.memory_id, memory.content, cosine)))
    scored.sort(key=lambda pair: (pair[0], pair[1].memory_id))
    return [memory for _, memory in scored]


def _shared_words(connection: sqlite3.Connection, owner: int, terms: Sequence[str]) -> dict[int, float]:
    """Rows that share the rarest terms, with the share (0-1) of the terms' total rarity that each holds.

    Common terms are left out, so that the work stays the same however many memories there are.
    """
    held = words.frequencies(connection, owner, tuple(set(terms)))
    newest: int = connection.execute("SELECT coalesce(max(row), 0) FROM memories").fetchone()[0]
    rarest = sorted(held.items(), key=lambda item: (item[1], item[0]))
    total = sum(math.log1p(newest / held.get(term, 1)) for term in set(terms)) or 1.0
    shares: dict[int, float] = {}
    read = 0
    for term, count in rarest[:_RAREST_TERMS]:
        read += count
        if read > _ROWS:
            break
        for row in {int(row) for rows in words.occurrences(connection, owner, term).values() for row in rows}:
            shares[row] = shares.get(row, 0.0) + math.log1p(newest / count) / total
    best = sorted(shares, key=lambda row: (-shares[row], row))[:_READ]
    return {row: shares[row] for row in best}


def _cosine(vector: Vector | None, blob: bytes | None) -> float | None:
    if vector is None or blob is None:
        return None
    return float(np.frombuffer(blob, dtype="<f4") @ vector)
