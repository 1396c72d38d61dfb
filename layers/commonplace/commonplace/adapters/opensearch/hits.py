"""Answers of the domain as rows and corpus."""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from commonplace.adapters.opensearch.document import ROW, unpacked
from commonplace.candidates import Corpus
from commonplace.gathering import NOBODY, Row, counts_of
from commonplace.ports import IndexUnavailable

Answer = Mapping[str, Any]
_ID, _USER = ROW.index("memory_id"), ROW.index("user_id")


class Hit(NamedTuple):
    """What came back of one document: the values of `ROW`, and its content if that was asked for. `passes`: marked so."""

    kept: list[Any]
    score: float | None
    order: Sequence[Any]
    passes: bool
    content: str | None

    @property
    def memory_id(self) -> str:
        """Whose row it is."""
        return str(self.kept[_ID])


def own(answer: Answer, user_id: str) -> Iterator[Hit]:
    """The hits, each checked once more to be this user's: routing and filter are not all that stands between users.

    Raises `IndexUnavailable` for one without its row, as a copy by the domain's own `_reindex` has none.
    """
    hits = answer["hits"]["hits"]
    if any("fields" not in hit for hit in hits):
        raise IndexUnavailable("documents lack what ranking must know: run commonplace reindex")
    for hit, kept in zip(hits, unpacked(hit["fields"]["row"][0] for hit in hits), strict=True):
        if kept[_USER] == user_id:
            passes = "passes" in hit.get("matched_queries", ())
            yield Hit(kept, hit["_score"], hit.get("sort", ()), passes, hit.get("_source", {}).get("content"))


def row(hit: Hit, terms: Sequence[str], model: str, scored: bool) -> Row:
    """One hit as a row. `scored`: its score is (1 + cosine) / 2, 0 without a vector, and not a score of words."""
    name, _, tokens, labels, length, session, position, speaker, *flags, day, importance, created, made_by = hit.kept
    placed = session is not None and position is not None
    return Row(
        memory_id=name,
        counts=counts_of(tokens.split(), labels.split(), terms),
        length=length,
        cosine=cosine(hit.score or 0.0, made_by == model) if scored else math.nan,
        session=session if placed else None,
        position=-1 if position is None else position,
        speaker=speaker,
        question=flags[0],
        instruction=flags[1],
        preference=flags[2],
        day=day,
        importance=importance,
        created=created,
    )


def cosine(score: float, same_model: bool) -> float:
    """The cosine behind a score, NaN without a vector or of another model's."""
    return 2 * score - 1 if score > 0 and same_model else math.nan


def corpus(answer: Answer, terms: Sequence[str]) -> Corpus:
    """What the visible memories have in common."""
    counted = answer["aggregations"]
    speakers = {bucket["key"] for bucket in counted["speakers"]["buckets"]}
    return Corpus(
        memories=memories(answer),
        average_length=counted["length"]["value"] or 1.0,
        frequencies=frequencies(answer, terms),
        speakers=frozenset(speakers) - NOBODY,
        years=tuple(sorted(bucket["key"] for bucket in counted["years"]["buckets"])),
    )


def memories(answer: Answer) -> int:
    """How many there are."""
    return int(answer["hits"]["total"]["value"])


def frequencies(answer: Answer, terms: Sequence[str]) -> "np.ndarray[tuple[int], np.dtype[np.float64]]":
    """How many hold each term."""
    buckets = answer["aggregations"]["held"]["buckets"] if terms else []
    return np.array([bucket["doc_count"] for bucket in buckets], dtype=np.float64)


def session_lengths(answer: Answer) -> dict[str, tuple[int, int]]:
    """Memories and tokens of each session."""
    buckets = answer["aggregations"]["sessions"]["buckets"]
    return {bucket["key"]: (bucket["doc_count"], int(bucket["tokens"]["value"])) for bucket in buckets}
