"""Type, category, importance and worth of statements: our own test part, and other people's texts."""

import argparse
import json
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

import numpy as np
from sklearn.metrics import f1_score

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.word_averages import WordAverages
from commonplace.text.classifier.classification import Classification, classify

_EMBEDDER, _ENCODER = WordAverages(), SentenceEncoder()
_OTHERS = ["preference", "biographical", "goal", "project", "other"]


def _classify(text: str) -> Classification:
    return classify(text, _EMBEDDER.embed(text), _ENCODER.features(text))


class Statement(NamedTuple):
    """A statement as it was labelled."""

    kind: str
    category: str
    importance: int
    keep: bool
    language: str
    text: str


def own_statements() -> list[tuple[Statement, Classification]]:
    """Our own test part, each with what the classifier says of its text alone."""
    lines = (FOLDER / "statements" / "test.tsv").read_text("utf-8").splitlines()
    rows = [line.split("\t") for line in lines]
    labelled = [Statement(row[0], row[1], int(row[2]), row[3] == "1", row[4], row[5]) for row in rows]
    return [(one, _classify(one.text)) for one in labelled]


def strangers_statements(data: Path) -> list[tuple[Statement, Classification]]:
    """The same of those that somebody wrote and labelled who had not seen the code."""
    rows = map(json.loads, (data / "statements" / "dev.jsonl").read_text("utf-8").splitlines())
    labelled = [
        Statement(row["type"], row["category"], row["importance"], row["keep"], row["lang"], row["text"]) for row in rows
    ]
    return [(one, _classify(one.text)) for one in labelled]


def _own() -> list[Table]:
    rows, found = zip(*own_statements(), strict=True)
    kinds, guessed = [row.kind for row in rows], [one.statement_type for one in found]
    keep = [row.keep for row in rows]
    scores: list[tuple[Cell, ...]] = [
        ("type, macro-F1", float(f1_score(kinds, guessed, average="macro")), ">= .88"),
        ("category, accuracy", _same([row.category for row in rows], [one.category for one in found]), ">= .90"),
        ("keep or not, accuracy", _same(keep, [one.worthy for one in found]), ">= .95"),
        ("keep or not, F1 of not", float(f1_score(keep, [one.worthy for one in found], pos_label=False)), ""),
        ("importance within 1", _near([row.importance for row in rows], [one.level for one in found]), ">= .90"),
    ]  # fmt: skip
    by_language: dict[str, list[bool]] = defaultdict(list)
    for row, one in zip(rows, found, strict=True):
        by_language["en" if row.language == "en" else "other languages"].append(row.kind == one.statement_type)
    scores += [(f"type, accuracy, {name}", float(np.mean(right)), "") for name, right in by_language.items()]
    notes = [
        f"The {len(rows)} statements were written apart from the training statements. When the definition of the labels "
        "changed, they were labelled again without sight of the old labels. Type and category stayed the same, except where "
        "the new definition moves a statement. No decision about keeping a statement changed. 13 moods and "
        "hypotheticals moved from interactions to contexts, because the guide now says where they belong. One statement, "
        "a discovery about the speaker, became biographical."
    ]
    return [Table("Own test part", ("what", "figure", "target"), scores, "", notes)]


def _same(first: Sequence[object], second: Sequence[object]) -> float:
    return float(np.mean([one == other for one, other in zip(first, second, strict=True)]))


def _near(first: Sequence[int], second: Sequence[int]) -> float:
    return float(np.mean([abs(one - other) <= 1 for one, other in zip(first, second, strict=True)]))


def _other_peoples(data: Path) -> Table:
    """`learning` and `none` count as other; instructions, habits and values are left out."""
    lines = (data / "memory_types" / "statements_handed.jsonl").read_text("utf-8").splitlines()
    rows = [row for row in map(json.loads, lines) if row["type"] not in ("instruction", "habit", "value")]
    right = ["other" if row["type"] in ("learning", "none") else row["type"] for row in rows]
    guessed = [_classify(row["text"]).statement_type for row in rows]
    half = [crc32(row["text"].encode()) % 2 for row in rows]
    groups = {"all": range(len(rows)), "first half": np.flatnonzero(np.array(half) == 0),
              "second half": np.flatnonzero(np.array(half) == 1)}  # fmt: skip
    shown: list[tuple[Cell, ...]] = []
    for name, chosen in groups.items():
        gold, said = [right[at] for at in chosen], [guessed[at] for at in chosen]
        each = f1_score(gold, said, labels=_OTHERS, average=None)
        macro = float(f1_score(gold, said, labels=_OTHERS, average="macro"))
        shown.append((name, len(gold), macro, *(float(score) for score in each)))
    notes = [
        "The labels are noisy, because rules derived them from public labels. The classifier was not trained on these texts. "
        "The first half was searched for styles of writing that the training part lacked."
    ]
    return Table("Other people's texts, F1", ("part", "texts", "macro", *_OTHERS), shown, "macro-F1 >= .65", notes)


def measure(given: argparse.Namespace) -> list[Table]:
    """Both tables."""
    return [*_own(), _other_peoples(given.data)]


if __name__ == "__main__":
    main("classification", "Classification: type, category, importance, worth", measure, True)
