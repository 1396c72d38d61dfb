"""Where the processor time of one search goes, with 10,000 memories in the file: no wall clock, the machine may be busy."""

import argparse
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any
from unittest.mock import patch

import numpy as np
from pydantic import BaseModel

from benchmarks.latency import filled, opened
from benchmarks.report import Cell, Table, main
from commonplace.adapters import sentence_encoder
from commonplace.adapters.sqlite import scan
from commonplace.adapters.sqlite.columns import Columns
from commonplace.adapters.sqlite.facts import SqliteUsage
from commonplace.adapters.sqlite.index import SqliteIndex
from commonplace.adapters.sqlite.records import SqliteRecords
from commonplace.contract import validate
from commonplace.retrieval import engine, ranking
from commonplace.use_cases import search
from training.many import QUESTIONS

_SIZE, _ROUNDS = 10_000, 10
_PARTS: tuple[tuple[str, Any, str], ...] = (
    ("check of the arguments, redaction", validate, "validate"),
    ("reading the question", engine, "parse_query"),
    ("the models: one text embedded", sentence_encoder.SentenceEncoder, "embed"),
    ("the index", SqliteIndex, "find"),
    ("ranking", ranking, "rank"),
    ("answerable", engine, "answerable"),
    ("records of the best, read and checked", SqliteRecords, "get"),
    ("order of equal matches", ranking, "break_ties"),
    ("counting the findings", SqliteUsage, "found"),
    ("the hits of the answer", search, "_build_hits"),
    ("the answer as JSON", BaseModel, "model_dump"),
)
_OF_THE_INDEX: tuple[tuple[str, Any, str], ...] = (
    ("index: changes since the last search", Columns, "refresh"),
    ("index: visible memories", Columns, "visible"),
    ("index: filters", scan, "passing"),
    ("index: counts of the words", scan, "term_counts"),
    ("index: statistics of the words", scan, "corpus"),
    ("index: cosines", Columns, "cosines"),
    ("index: the best by words and by vector", scan, "best_candidates"),
    ("index: their neighbours", scan, "with_neighbours"),
    ("index: their columns", scan, "candidate_columns"),
)
Spent = defaultdict[str, float]


@contextmanager
def _accounted(spent: Spent) -> Iterator[None]:
    """Adds the seconds of processor time of every part to `spent`."""
    with ExitStack() as patched:
        for label, owner, name in (*_PARTS, *_OF_THE_INDEX):
            patched.enter_context(patch.object(owner, name, _timed(getattr(owner, name), label, spent)))
        yield


def _timed(work: Callable[..., Any], label: str, spent: Spent) -> Callable[..., Any]:
    def timed(*given: Any, **named: Any) -> Any:
        start = time.process_time()
        try:
            return work(*given, **named)
        finally:
            spent[label] += time.process_time() - start

    return timed


def measure(_: argparse.Namespace) -> list[Table]:
    """Milliseconds a search, the mean of 200 after a round that warms up; each question is embedded anew."""
    spent: Spent = defaultdict(float)
    whole: list[float] = []
    with filled(_SIZE) as path, opened(path) as memory:
        for question in QUESTIONS:
            memory.call("search_memory", {"query": question})
        with _accounted(spent):
            for question in QUESTIONS * _ROUNDS:
                sentence_encoder._encode_text.cache_clear()  # else only the first round would pay for the models
                start = time.process_time()
                memory.call("search_memory", {"query": question})
                whole.append(time.process_time() - start)
    total = 1000 * float(np.mean(whole))
    rows = [_row(label, 1000 * spent[label] / len(whole), total) for label, _, _ in (*_PARTS, *_OF_THE_INDEX)]
    known = sum(spent[label] for label, _, _ in _PARTS) * 1000 / len(whole)
    rows += [_row("accounted for", known, total), _row("a whole search", total, total)]
    columns = ("part", "ms of processor time", "share of the search")
    return [Table("A search with 10,000 memories, embedding included", columns, rows, "90 % accounted for")]


def _row(label: str, milliseconds: float, total: float) -> tuple[Cell, ...]:
    return label, milliseconds, milliseconds / total


if __name__ == "__main__":
    main("search_cost", "Where the processor time of a search goes", measure, False)
