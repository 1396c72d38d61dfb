"""Share of a question's evidence turns among the first ten, every turn stored with its place, through the whole tools."""

import argparse
import math
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

from benchmarks import legacy_search
from benchmarks.conversations import Asked, Conversation, beam, locomo, together
from benchmarks.report import Table, main
from commonplace import Commonplace
from commonplace.settings import Settings

COLUMNS = ("set", "questions", "R@10", "R@10 at the default", "R@5", "R@5 at the default", "nDCG@10", "multi-hop R@10")
Call = Callable[[str, dict[str, Any]], dict[str, Any]]
"""A tool by its name: arguments in, answer out."""


@dataclass(frozen=True)
class Answer:
    """One question answered: the first ten at relevance 0 and at the default; `answerable` is None where nothing tells it."""

    asked: Asked
    at_zero: list[str]
    at_default: list[str]
    answerable: float | None

    def recall(self, first: int = 10) -> float:
        """Share of the evidence among the first."""
        return len(self.asked.evidence & set(self.at_zero[:first])) / len(self.asked.evidence)

    def recall_at_default(self, first: int = 10) -> float:
        """The same where the caller names no `min_relevance`."""
        return len(self.asked.evidence & set(self.at_default[:first])) / len(self.asked.evidence)

    def gain(self) -> float:
        """nDCG@10: discounted by log2 of the rank, 1 at best."""
        found = sum(1 / math.log2(2 + rank) for rank, name in enumerate(self.at_zero) if name in self.asked.evidence)
        return found / sum(1 / math.log2(2 + rank) for rank in range(min(10, len(self.asked.evidence))))


def answers(conversation: Conversation, profile: str = "window") -> Iterator[Answer]:
    """Stores every turn in a fresh store and asks every question."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.model_validate({"ranking": profile, "timezone": "UTC"})
        with Commonplace(Path(folder) / "memory.db", user_id="bench", settings=settings) as memory:
            ids = memory.import_turns([turn.given() for turn in conversation.turns]).ids
            yield from answered(conversation, ids, memory.call)


def answered(conversation: Conversation, ids: Sequence[str | None], call: Call) -> Iterator[Answer]:
    """Asks every question. `ids`: of the memory that each turn became."""
    names = {found: turn.name for found, turn in zip(ids, conversation.turns, strict=True) if found}

    def search(question: str, **relevance: float) -> tuple[list[str], float | None]:
        found = call("search_memory", {"query": question, "options": {"limit": 10, **relevance}})
        return [names[hit["id"]] for hit in found["results"]], found["query_analysis"]["answerable"]

    for asked in conversation.asked:
        at_zero, answerable = search(asked.question, min_relevance=0.0)
        yield Answer(asked, at_zero, search(asked.question)[0], answerable)


def auroc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """The chance that a positive scores above a negative, ties half (Mann-Whitney)."""
    values, counts = np.unique(np.array([*positive, *negative]), return_inverse=True)
    ranks = np.zeros(len(counts))
    ends = np.cumsum(np.bincount(counts, minlength=len(values)))
    starts = np.concatenate([[0], ends[:-1]])
    ranks = ((starts + ends + 1) / 2)[counts]
    above = ranks[: len(positive)].sum() - len(positive) * (len(positive) + 1) / 2
    return float(above / (len(positive) * len(negative)))


def _mean(found: Sequence[Answer], value: Callable[[Answer], float]) -> float:
    return float(np.mean([value(one) for one in found])) if found else math.nan


def row(label: str, found: Sequence[Answer]) -> tuple[str | float | int, ...]:
    multi = [one for one in found if one.asked.kind in ("multi-hop", "multi_session_reasoning")]
    return (
        label, len(found), _mean(found, Answer.recall), _mean(found, Answer.recall_at_default),
        _mean(found, lambda one: one.recall(5)), _mean(found, lambda one: one.recall_at_default(5)),
        _mean(found, Answer.gain), _mean(multi, Answer.recall),
    )  # fmt: skip


def _compared(name: str, conversations: Sequence[Conversation]) -> list[tuple[str | float | int, ...]]:
    """What words alone find, and what the profile `classic` does, one store each."""
    rows: list[tuple[str | float | int, ...]] = []
    ways: dict[str, Callable[[Conversation], Iterator[Answer]]] = {
        "BM25 alone": by_words,
        "profile `classic`": lambda one: answers(one, "classic"),
    }
    for label, way in ways.items():
        found = [list(way(one)) for one in track(conversations, f"{name}, {label}")]
        rows.append(row(f"{name}, {label}", list(chain.from_iterable(found))))
    return rows


def by_words(conversation: Conversation) -> Iterator[Answer]:
    """The floor: BM25 of our analyzer's terms over the turns' own words, nothing else."""
    search = legacy_search.by_words(legacy_search.told_by(conversation))
    for asked in conversation.asked:
        best = search(asked.question)
        yield Answer(asked, best, best, None)


def measure(given: argparse.Namespace) -> list[Table]:
    """Both halves of both sets, each store alone and all in one, and `answerable` on LoCoMo's adversarial questions."""
    sets = {"LoCoMo": locomo(given.data), "BEAM 100K": beam(given.data)}
    rows: list[tuple[str | float | int | None, ...]] = []
    compared: list[tuple[str | float | int | None, ...]] = []
    abstention: list[tuple[str | float | int | None, ...]] = []
    for name, conversations in sets.items():
        each = [list(answers(one)) for one in track(conversations, f"{name}, one store each")]
        tuned = each[:2] if name == "LoCoMo" else each[1::2]
        held = each[2:] if name == "LoCoMo" else each[::2]
        halves = {"all": each, "tuned on": tuned, "held out": held}
        rows += [row(f"{name}, {half}", list(chain.from_iterable(part))) for half, part in halves.items()]
        rows.append(row(f"{name}, all in one store", list(answers(together(conversations)))))
        compared += _compared(name, conversations)
        if name == "LoCoMo":
            abstention = [(half, *_answerable(list(chain.from_iterable(part)))) for half, part in halves.items()]
    target = "R@10 LoCoMo >= .86, in one store >= .81; BEAM >= .69 and >= .62; the default costs <= .02 of R@5"
    return [
        Table("Share of the evidence turns that are found", COLUMNS, rows, target),
        Table("The same questions with other rankings, for comparison", COLUMNS, compared),
        Table("`answerable` recognizes LoCoMo's adversarial questions", ("half", "answerable", "adversarial", "AUROC"),
              abstention, "AUROC >= .80"),
    ]  # fmt: skip


def _answerable(found: Sequence[Answer]) -> tuple[int, int, float]:
    told = [(one.asked.kind == "adversarial", one.answerable) for one in found if one.answerable is not None]
    yes, no = ([share for refused, share in told if refused is adversarial] for adversarial in (False, True))
    return len(yes), len(no), auroc(yes, no)


if __name__ == "__main__":
    main("retrieval", "Retrieval: the right memory among the first ten", measure, True)
