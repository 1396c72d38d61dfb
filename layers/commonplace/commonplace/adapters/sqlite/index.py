"""Finding candidates in one SQLite file: words by FTS5, vectors by an exact scan, neighbours by session and position."""

import math
import sqlite3
from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from commonplace import scoring
from commonplace.adapters.sqlite import words
from commonplace.adapters.sqlite.columns import Columns, place_numbers
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.filters import where
from commonplace.adapters.sqlite.rows import known_owner
from commonplace.candidates import Candidates, Corpus, Flags, Floats, Integers
from commonplace.models.memory import Memory
from commonplace.ports import Filter, Similar, Vector, Visibility

_BY_WORDS = 200
_BY_VECTOR = 100
_SIMILAR_ROWS = 1_500
_RAREST_TERMS = 6
_SIMILAR_READ = 20
_UNIX_EPOCH_DAY = datetime(1970, 1, 1, tzinfo=UTC).toordinal()
_NOBODY = frozenset({"user", "assistant"})


class SqliteIndex:
    """The index of one file."""

    def __init__(self, database: Database, embedding_model: str, dimension: int) -> None:
        self._database, self._model, self._dimension = database, embedding_model, dimension
        self._users: dict[int, Columns] = {}

    def find(
        self, seen: Visibility, wanted: Filter, terms: Sequence[str], vector: Vector | None
    ) -> tuple[Candidates, Corpus]:
        with self._database.reading() as connection:
            columns = self._columns(connection, seen.user_id)
            visible = columns.visible(seen.agents, seen.now.timestamp(), seen.include_expired)
            allowed = visible & _passing(connection, columns, wanted)
            counts = _term_counts(connection, columns, terms)
            corpus = _corpus(columns, visible, counts)
            cosines = columns.cosines(vector)
            hits = _best(columns, allowed, counts, cosines, corpus)
            near = _neighbours(columns, hits, visible)
            ranked = np.union1d(hits, near[allowed[near]])
            handed = np.union1d(ranked, _neighbours(columns, ranked, visible))
            return _handed(columns, handed, np.isin(handed, ranked), counts, cosines, visible), corpus

    def similar(self, seen: Visibility, terms: Sequence[str], vector: Vector | None, limit: int) -> list[Similar]:
        with self._database.reading() as connection:
            owner = known_owner(connection, seen.user_id)
            shares = _shared_words(connection, owner, terms) if owner is not None else {}
            now, agents = seen.now.timestamp(), ",".join("?" * len(seen.agents))
            found = connection.execute(
                f"SELECT row, record, embedding, embedding_model FROM memories WHERE row IN ({','.join('?' * len(shares))})"
                f" AND status = 'active' AND agent_id IN ({agents})"
                f" AND (expires_at IS NULL OR expires_at > ?) AND (valid_to IS NULL OR valid_to > ?)",
                (*shares, *seen.agents, now, now),
            ).fetchall()
        scored = []
        for row, record, blob, model in found:
            memory = Memory.model_validate_json(record)
            cosine = _cosine(vector, blob) if model == self._model else None
            scored.append((-shares[row] - (cosine or 0.0), Similar(memory.memory_id, memory.content, cosine)))
        scored.sort(key=lambda pair: (pair[0], pair[1].memory_id))
        return [similar for _, similar in scored[:limit]]

    def most_important(self, seen: Visibility, wanted: Filter, limit: int) -> list[str]:
        with self._database.reading() as connection:
            columns = self._columns(connection, seen.user_id)
            allowed = columns.visible(seen.agents, seen.now.timestamp(), seen.include_expired)
            allowed &= _passing(connection, columns, wanted)
            slots = np.flatnonzero(allowed)
            order = np.lexsort((-columns["happened_at"][slots], -columns["importance"][slots]))
            return [columns.ids[slot] for slot in slots[order[:limit]]]

    def _columns(self, connection: sqlite3.Connection, user_id: str) -> Columns:
        owner = known_owner(connection, user_id)
        if owner is None:
            return Columns(0, self._model, self._dimension)
        if owner not in self._users:
            self._users[owner] = Columns(owner, self._model, self._dimension)
        self._users[owner].refresh(connection)
        return self._users[owner]


def _passing(connection: sqlite3.Connection, columns: Columns, wanted: Filter) -> Flags:
    conditions, values = where(wanted)
    if not conditions:
        return np.ones(len(columns), dtype=np.bool_)
    rows = connection.execute(
        f"SELECT row FROM memories WHERE owner = ? AND {conditions}", (columns.owner, *values)
    ).fetchall()
    return np.isin(columns["row"], np.array([row for (row,) in rows], dtype=np.int64))


def _term_counts(connection: sqlite3.Connection, columns: Columns, terms: Sequence[str]) -> Floats:
    """How often each memory holds each term; a term among its labels counts for less."""
    counts = np.zeros((len(columns), len(terms)), dtype=np.float32)
    for number, term in enumerate(terms):
        for column, rows in words.occurrences(connection, columns.owner, term).items():
            weight = 1.0 if column == "content" else scoring.LABEL_WEIGHT
            counts[:, number] += weight * np.bincount(columns.slots(rows), minlength=len(columns))
    return counts


def _corpus(columns: Columns, visible: Flags, counts: Floats) -> Corpus:
    memories = int(visible.sum())
    days = columns["day"][visible]
    years = np.unique((days - _UNIX_EPOCH_DAY).astype("datetime64[D]").astype("datetime64[Y]").astype(int) + 1970)
    speaking = np.bincount(columns["speaker"][visible] + 1, minlength=1)[1:]
    return Corpus(
        memories=memories,
        average_length=float(columns["length"][visible].mean()) if memories else 1.0,
        frequencies=(counts[visible] > 0).sum(axis=0).astype(np.float64),
        speakers=frozenset(name for name, said in zip(columns.speakers.listed, speaking, strict=False) if said) - _NOBODY,
        years=tuple(int(year) for year in years),
    )


def _best(columns: Columns, allowed: Flags, counts: Floats, cosines: Floats, corpus: Corpus) -> Integers:
    """The slots of the best by words alone and of the nearest by vector."""
    with_words = np.flatnonzero(allowed & (counts > 0).any(axis=1))
    relative = columns["length"][with_words] / max(corpus.average_length, 1.0)
    scores = scoring.bm25(counts[with_words], relative, scoring.rarity(corpus))
    with_vector = np.flatnonzero(allowed & ~np.isnan(cosines))
    nearest = with_vector[_top(cosines[with_vector], _BY_VECTOR)]
    return np.union1d(with_words[_top(scores, _BY_WORDS)], nearest)


def _top(scores: Floats, count: int) -> Integers:
    if len(scores) <= count:
        return np.arange(len(scores))
    return np.argpartition(-scores, count)[:count]


def _neighbours(columns: Columns, slots: Integers, visible: Flags) -> Integers:
    """The slots of the visible memories up to `REACH` positions away in the same session."""
    order, ordered = columns.by_place()
    in_session = slots[columns["session"][slots] >= 0]
    places = place_numbers(columns["session"][in_session], columns["position"][in_session])
    wanted = np.unique((places[:, None] + np.arange(-scoring.REACH, scoring.REACH + 1)).ravel())
    first, last = np.searchsorted(ordered, wanted, "left"), np.searchsorted(ordered, wanted, "right")
    taken = np.zeros(len(order) + 1, dtype=np.int64)  # +1 where a run of wanted places begins, -1 where it ends
    np.add.at(taken, first, 1)
    np.add.at(taken, last, -1)
    near = order[np.cumsum(taken[:-1]) > 0]
    return np.sort(near[visible[near]])


def _handed(
    columns: Columns, slots: Integers, ranked: Flags, counts: Floats, cosines: Floats, visible: Flags
) -> Candidates:
    sessions = columns["session"]
    in_session = visible & (sessions >= 0)
    entries = np.bincount(sessions[in_session] + 1, minlength=len(columns.sessions.listed) + 1)
    tokens = np.bincount(sessions[in_session] + 1, columns["length"][in_session], len(columns.sessions.listed) + 1)
    means = tokens / np.maximum(entries, 1)
    return Candidates(
        ids=[columns.ids[slot] for slot in slots],
        ranked=ranked,
        term_counts=counts[slots],
        lengths=columns["length"][slots].astype(np.float64),
        cosines=cosines[slots],
        sessions=sessions[slots],
        session_lengths=means[sessions[slots] + 1],
        positions=columns["position"][slots],
        speakers=columns["speaker"][slots],
        speaker_names=columns.speakers.listed,
        questions=columns["question"][slots],
        instructions=columns["instruction"][slots],
        preferences=columns["preference"][slots],
        days=columns["day"][slots].astype(np.float64),
        importances=columns["importance"][slots],
        created=columns["created_at"][slots],
    )


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
        if read > _SIMILAR_ROWS:
            break
        for row in {int(row) for rows in words.occurrences(connection, owner, term).values() for row in rows}:
            shares[row] = shares.get(row, 0.0) + math.log1p(newest / count) / total
    best = sorted(shares, key=lambda row: (-shares[row], row))[:_SIMILAR_READ]
    return {row: shares[row] for row in best}


def _cosine(vector: Vector | None, blob: bytes | None) -> float | None:
    if vector is None or blob is None:
        return None
    return float(np.frombuffer(blob, dtype="<f4") @ vector)
