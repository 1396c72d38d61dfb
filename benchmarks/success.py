"""The specification's success metrics, each as it can be repeated: `python -m benchmarks.success --data DIR`."""

import argparse
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np

from benchmarks import merges, tags
from benchmarks.classification import Statement, own_statements, strangers_statements
from benchmarks.report import Cell, Table, main
from benchmarks.success_finding import gain_rows, kept_rows, moved, people_not_tuned_on, statements, wanted_rows
from benchmarks.told_store import opened
from commonplace import Commonplace, legacy
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.text.classifier.classification import Classification
from commonplace.text.tagging.names import canonical

_KNOWN, _NEW, _TIMED = 5_000, 500, 100
_DECIDED = {"force_category": "contexts", "force_importance": 3, "additional_tags": ["garden", "plan"]}
_REAL = ("different", "same_topic_distinct", "update", "contradiction", "look_alike")


def _steps(memory: Commonplace, text: str) -> None:
    """The six calls by which the old memory stored one statement."""
    legacy.tinydb_search_memories(text, memory=memory)
    legacy.tinydb_list_categories(memory=memory)
    told = memory.memory_normalize(text)
    for tag in [*told.tags, "garden", "plan"][:2]:
        legacy.tinydb_find_similar_tags(tag, memory=memory)
    memory.call("store_memory", {"content": text, "context": _DECIDED})


def _storing(texts: Sequence[str]) -> list[tuple[Cell, ...]]:
    with moved() as (memory, _):
        old = _milliseconds(lambda text: _steps(memory, text), texts[:_TIMED])
        new = _milliseconds(lambda text: memory.store_memory(text), texts[_TIMED : 2 * _TIMED])
    return [
        ("calls to store one statement", 6, 1, "6 -> 1"),
        ("tool time of these calls, ms (median)", old, new, f"-70 %: {new / old - 1:+.0%}"),
    ]


def _milliseconds(call: Callable[[str], object], texts: Sequence[str]) -> float:
    spent = []
    for text in texts:
        begun = time.perf_counter()
        call(text)
        spent.append(1_000 * (time.perf_counter() - begun))
    return float(np.median(spent))


def _labelling(data: Path) -> list[tuple[Cell, ...]]:
    return [*_labels("own test part", own_statements()), *_labels("strangers' statements", strangers_statements(data))]


def _labels(of: str, rows: Sequence[tuple[Statement, Classification]]) -> list[tuple[Cell, ...]]:
    right = [one.category == row.category for row, one in rows]
    none = [same and abs(one.level - row.importance) <= 1 for same, (row, one) in zip(right, rows, strict=True)]
    gold, said = (Counter(names) for names in zip(*((row.category, one.category) for row, one in rows), strict=True))
    apart = sum(abs(gold[name] - said[name]) for name in gold | said) / (2 * len(rows))
    return [
        (f"no decision: category right, importance within 1; {of}", len(rows), float(np.mean(none)), ">= .80"),
        (f"category right; {of}", len(rows), float(np.mean(right)), ">= .90"),
        (f"shares of the categories, total variation; {of}", len(rows), apart, "<= .05"),
    ]


def _tags(texts: Sequence[str]) -> list[tuple[Cell, ...]]:
    model = SentenceEncoder()
    judged = {kind: [pair for pair in tags.pairs("test") if pair.kind == kind] for kind in ("same", "other")}
    merged = {kind: len(tags.merged(pairs, model)) for kind, pairs in judged.items()}
    with moved() as (memory, tagged):
        left = memory.memory_stats().tags.distinct - len(_old_categories(memory, tagged))
    return [
        ("tags of the old store", len(tagged), left, "-40 %"),
        ("pairs with the same meaning merged", len(judged["same"]), merged["same"], ""),
        ("sibling pairs merged", len(judged["other"]), merged["other"], "0"),
        ("tags that existed already, of the tags of 500 new memories", None, _reuse(texts), ">= .60"),
    ]


def _old_categories(memory: Commonplace, tagged: dict[str, frozenset[str]]) -> set[str]:
    """The tags in use that were categories of the old store: they came besides."""
    old = {canonical(tag) for tag in tagged}
    return {tag for one in memory.export() for tag in one["tags"] if canonical(tag) not in old}


def _reuse(texts: Sequence[str]) -> float:
    turns = [
        {"session_id": str(at // 20), "position": at % 20, "speaker": "user", "text": text}
        for at, text in enumerate(texts[:_KNOWN])
    ]
    with opened() as store:
        store.memory.import_turns(turns)
        known = {tag for one in store.memory.export() for tag in one["tags"]}
        given = [tag for text in texts[_KNOWN:] for tag in store.memory.store_memory(text).analysis.generated_tags]
    return float(np.mean([tag in known for tag in given]))


def _wrong_merges(data: Path) -> list[tuple[Cell, ...]]:
    figures = merges.measure(data)
    rows: list[tuple[Cell, ...]] = []
    for label, wrong in (
        ("wrong merges, of those suggested", _REAL),
        ("wrong merges, if `related` counts as wrong too", (*_REAL, "related")),
    ):
        count: Counter[bool] = Counter()
        for name, share in figures.items():
            relation, *rest = name.split("|")
            if rest[1:] == [merges.HELD_OUT] and rest[0] != merges.TOGETHER and relation in ("duplicate", *wrong):
                count[relation != "duplicate"] += round(share * figures[f"{name}|pairs"])
        rows.append((label, count.total(), count[True] / count.total(), "<= .05"))
    return rows


def measure(given: argparse.Namespace) -> list[Table]:
    """One table: a row for each metric."""
    texts, people = statements(given.data, _KNOWN + _NEW), people_not_tuned_on(given.data)
    rows = [
        *_storing(texts), *_labelling(given.data), *_tags(texts), *kept_rows(), *wanted_rows(people),
        *gain_rows(given.data, people), *_wrong_merges(given.data),
    ]  # fmt: skip
    notes = [
        '"Before" is the old way, or the state before. The six calls of the old way are: search for the statement, list the '
        "categories, find similar tags for two tags, normalize the statement, and store it with all these values. Both ways "
        "run on this engine.",
        "The questions are from the persons that nothing was tuned on, and most are paraphrases. `advanced` measures the "
        "latency.",
    ]
    return [Table("The specification's success metrics", ("metric", "before, or cases", "figure", "target"), rows, "", notes)]


if __name__ == "__main__":
    main("success", "Success: the metrics that the specification wants to improve", measure, True)
