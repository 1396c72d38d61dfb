"""Convert memories to rows and columns for ranking, for engines that return memories one by one. All functions are pure."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import date
from typing import NamedTuple

import numpy as np

from commonplace.domain.memory import Memory
from commonplace.ports.index import Candidates, Corpus, Integers, Legs
from commonplace.ports.values import Similar
from commonplace.retrieval import bm25
from commonplace.retrieval.documents import Document

NOBODY = frozenset({"user", "assistant"})
"""Speaker names that are roles, not people."""
_FIRST_DAY = date(1970, 1, 1).toordinal()


class Row(NamedTuple):
    """The features of a memory that ranking uses.

    `counts` contains how often each query term occurs, where an occurrence in a label counts as `bm25.LABEL_WEIGHT`. `cosine`
    is NaN if the memory or the query has no vector. `session` is None for a memory without a position. `speaker` is in lower
    case. `day` is the ordinal of the event date, in the zone of the event time. `created` is in seconds since 1970.
    `other_model` is True if another model embedded the memory.
    """

    memory_id: str
    counts: tuple[float, ...]
    length: int
    cosine: float
    session: str | None
    position: int
    speaker: str | None
    question: bool
    instruction: bool
    preference: bool
    day: int
    importance: float
    created: float
    other_model: bool


def row_of(memory: Memory, doc: Document, terms: Sequence[str], cosine: float | None, other_model: bool) -> Row:
    """Build the row of a memory for a query with these terms."""
    placed = memory.session_id is not None and memory.position is not None
    return Row(
        memory_id=memory.memory_id,
        counts=counts_of(doc.tokens, doc.labels, terms),
        length=len(doc.tokens),
        cosine=math.nan if cosine is None else cosine,
        session=memory.session_id if placed else None,
        position=-1 if memory.position is None else memory.position,
        speaker=memory.speaker and memory.speaker.lower(),
        question=doc.question,
        instruction=doc.instruction,
        preference=doc.preference,
        day=memory.happened_at.toordinal(),
        importance=memory.importance,
        created=memory.created_at.timestamp(),
        other_model=other_model,
    )


def counts_of(tokens: Sequence[str], labels: Sequence[str], terms: Sequence[str]) -> tuple[float, ...]:
    """Count how often each term occurs in the tokens and labels. An occurrence in a label counts as `bm25.LABEL_WEIGHT`."""
    counts = dict.fromkeys(terms, 0.0)
    for token in tokens:
        if token in counts:
            counts[token] += 1
    for label in labels:
        if label in counts:
            counts[label] += bm25.LABEL_WEIGHT
    return tuple([counts[term] for term in terms])


def corpus_of(rows: Sequence[Row], terms: Sequence[str]) -> Corpus:
    """Compute the statistics of all visible memories. `rows` contains a row for each of these memories."""
    frequencies = np.zeros(len(terms))
    for row in rows:
        frequencies += np.array(row.counts) > 0
    return Corpus(
        memories=len(rows),
        average_length=sum(row.length for row in rows) / len(rows) if rows else 1.0,
        frequencies=frequencies,
        speakers=frozenset(row.speaker for row in rows if row.speaker) - NOBODY,
        years=years_of(np.array([row.day for row in rows], dtype=np.int64)),
    )


def years_of(days: Integers) -> tuple[int, ...]:
    """Return the distinct years in which the days (ordinals) fall, in ascending order."""
    since_1970 = (days - _FIRST_DAY).astype("datetime64[D]").astype("datetime64[Y]").astype(int)
    return tuple(int(year) for year in np.unique(since_1970 + 1970))


def merged_corpus(first: Corpus, other: Corpus) -> Corpus:
    """Combine the statistics of two disjoint sets of memories."""
    memories = first.memories + other.memories
    tokens = first.average_length * first.memories + other.average_length * other.memories
    return Corpus(
        memories=memories,
        average_length=tokens / memories if memories else 1.0,
        frequencies=first.frequencies + other.frequencies,
        speakers=first.speakers | other.speakers,
        years=tuple(sorted({*first.years, *other.years})),
    )


def similar_of(rows: Sequence[Row], texts: Mapping[str, str], corpus: Corpus, limit: int) -> list[Similar]:
    """Return the memories that are most similar to a new text by rare words or by cosine. `texts` maps ids to contents."""
    rare = bm25.inverse_document_frequency(corpus)
    total = float(rare.sum()) or 1.0
    compared = []
    for row in rows:
        share = sum(weight for weight, count in zip(rare.tolist(), row.counts, strict=True) if count >= 1) / total
        cosine = None if math.isnan(row.cosine) else row.cosine
        compared.append((share, Similar(row.memory_id, texts[row.memory_id], cosine, other_model=row.other_model)))
    return best_by_words_and_vector(compared, limit)


def best_by_words_and_vector(compared: Sequence[tuple[float, Similar]], limit: int) -> list[Similar]:
    """Return the `limit` best by word share and the `limit` nearest by vector, ordered by the sum of share and cosine."""

    def score(each: tuple[float, Similar]) -> tuple[float, str]:
        return -each[0] - (each[1].cosine or 0.0), each[1].memory_id

    by_words = sorted((each for each in compared if each[0]), key=score)[:limit]
    with_cosine = [each for each in compared if each[1].cosine is not None]
    by_vector = sorted(with_cosine, key=lambda each: (-(each[1].cosine or 0.0), each[1].memory_id))[:limit]
    chosen = {each[1].memory_id: each for each in (*by_words, *by_vector)}
    return [similar for _, similar in sorted(chosen.values(), key=score)]


def rankings_of(rows: Sequence[Row], corpus: Corpus) -> Legs:
    """Rank all rows by words alone and by vector alone, and return the hits of both rankings with their scores."""
    counts = np.array([row.counts for row in rows], dtype=np.float64).reshape(len(rows), len(corpus.frequencies))
    relative = np.array([row.length for row in rows]) / max(corpus.average_length, 1.0)
    words = bm25.bm25(counts, relative, bm25.inverse_document_frequency(corpus)).tolist()
    return Legs(
        lexical=best_first((row.memory_id, score) for row, score in zip(rows, words, strict=True) if score > 0),
        vector=best_first((row.memory_id, row.cosine) for row in rows if not math.isnan(row.cosine)),
    )


def best_first(scored: Iterable[tuple[str, float]]) -> list[tuple[str, float]]:
    """Sort pairs of id and score by score, highest first, and by id if scores are equal."""
    return sorted(scored, key=lambda each: (-each[1], each[0]))


def session_lengths_of(rows: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Return the numbers of memories and tokens in each session."""
    sessions: dict[str, tuple[int, int]] = {}
    for row in rows:
        if row.session is not None:
            memories, tokens = sessions.get(row.session, (0, 0))
            sessions[row.session] = memories + 1, tokens + row.length
    return sessions


def columns_of(
    rows: Sequence[Row],
    ranked: Collection[str],
    sessions: Mapping[str, tuple[int, int]],
    terms: Sequence[str],
    speakers: Collection[str] = (),
) -> Candidates:
    """Convert rows to columns. Searches return only `ranked` ids. `sessions` maps sessions to memory and token counts."""
    numbers = {name: number for number, name in enumerate(sessions)}
    names = sorted({*speakers, *(row.speaker for row in rows if row.speaker)})
    places = {name: place for place, name in enumerate(names)}
    means = [tokens / max(memories, 1) for memories, tokens in sessions.values()]
    at = np.array([-1 if row.session is None else numbers[row.session] for row in rows], dtype=np.int64)
    return Candidates(
        ids=[row.memory_id for row in rows],
        ranked=np.array([row.memory_id in ranked for row in rows], dtype=np.bool_),
        term_counts=np.array([row.counts for row in rows], dtype=np.float64).reshape(len(rows), len(terms)),
        lengths=np.array([row.length for row in rows], dtype=np.float64),
        cosines=np.array([row.cosine for row in rows], dtype=np.float64),
        sessions=at,
        session_lengths=np.array([*means, 0.0])[at],  # -1 selects the last value
        positions=np.array([row.position for row in rows], dtype=np.int64),
        speakers=np.array([-1 if row.speaker is None else places[row.speaker] for row in rows], dtype=np.int64),
        speaker_names=names,
        questions=np.array([row.question for row in rows], dtype=np.bool_),
        instructions=np.array([row.instruction for row in rows], dtype=np.bool_),
        preferences=np.array([row.preference for row in rows], dtype=np.bool_),
        days=np.array([row.day for row in rows], dtype=np.float64),
        importances=np.array([row.importance for row in rows], dtype=np.float64),
        created=np.array([row.created for row in rows], dtype=np.float64),
    )
