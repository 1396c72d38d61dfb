"""What the specification's success metrics are measured against: the old store's search, and words alone."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from benchmarks.conversations import Asked, Conversation
from benchmarks.persons import Person
from commonplace.ports.index import Corpus
from commonplace.retrieval import bm25
from commonplace.text.foundation.tokenizer import terms, words

_LONG_AGO = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class Told:
    """One text of a store, by its name, and when it was told."""

    name: str
    text: str
    at: datetime


def told_by(one: Person | Conversation) -> list[Told]:
    """All texts of a person or a conversation, in order."""
    if isinstance(one, Person):
        return [Told(fact.name, fact.text, fact.at) for fact in one.facts]
    return [Told(turn.name, turn.text, turn.at.replace(tzinfo=UTC) if turn.at else _LONG_AGO) for turn in one.turns]


def by_any_word(texts: Sequence[Told]) -> Callable[[str], list[str]]:
    """The old store's way: those that have any word of the query, most such words first, then the newest."""
    held = [frozenset(words(one.text)) for one in texts]

    def search(query: str) -> list[str]:
        asked = frozenset(words(query))
        scored = [(len(asked & own), one.at, one.name) for own, one in zip(held, texts, strict=True) if asked & own]
        return [name for _, _, name in sorted(scored, reverse=True)[:10]]

    return search


def by_words(texts: Sequence[Told]) -> Callable[[str], list[str]]:
    """BM25 (k1 1.2, b .5) of our analyzer's terms over the texts' own words, nothing else."""
    held = [Counter(terms(one.text)) for one in texts]
    lengths = np.array([sum(one.values()) for one in held], dtype=np.float64)
    frequencies = Counter(term for one in held for term in one)

    def search(query: str) -> list[str]:
        wanted = tuple(dict.fromkeys(terms(query)))
        counts = np.array([[one[term] for term in wanted] for one in held], dtype=np.float64)
        held_by = np.array([frequencies[term] for term in wanted], dtype=np.float64)
        corpus = Corpus(len(held), float(lengths.mean()), held_by, frozenset(), ())
        scores = bm25.bm25(counts, lengths / corpus.average_length, bm25.inverse_document_frequency(corpus))
        return [texts[row].name for row in np.argsort(-scores, kind="stable")[:10]]

    return search


def gain(asked: Asked, hits: Sequence[frozenset[str]]) -> float:
    """nDCG@10 of the first hits: discounted by log2 of the rank, 1 at best; evidence is counted once."""
    found, left = 0.0, set(asked.evidence)
    for rank, names in enumerate(hits[:10]):
        found += bool(names & left) / math.log2(2 + rank)
        left -= names
    return found / sum(1 / math.log2(2 + rank) for rank in range(min(10, len(asked.evidence))))


def share_first(wanted: Mapping[str, frozenset[str]], search: Callable[[str], Sequence[str]], first: int) -> float:
    """The share of queries of which a wanted memory is among the first hits."""
    return float(np.mean([bool(names & set(search(query)[:first])) for query, names in wanted.items()]))
