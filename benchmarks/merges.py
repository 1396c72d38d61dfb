"""Merges suggested: how many pairs that say the same, and whether any that do not."""

import argparse
import hashlib
import json
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.paraphrase.judge import Candidate, judge_candidates
from commonplace.text.paraphrase.repeats import is_repeat

TUNED, HELD_OUT = "tuned on", "held out"
_LEFT_OUT = "same_topic_ambiguous"
_SETTINGS = {"conservative": "|conservative", "balanced": "", "aggressive": "|aggressive"}
TOGETHER = "all but MRPC"


class Pair(NamedTuple):
    """Two texts, what they are to each other, and where they come from."""

    relation: str
    source: str
    first: str
    second: str


def measure(data: Path) -> dict[str, float]:
    """Shares suggested and numbers of pairs, `<relation>|<source>|<half>` and the same with `|pairs`; `milliseconds` a pair.

    The shares are of what a store suggests by default; with `|conservative` and `|aggressive` in those settings; with
    `|words` of texts whose words repeat, which is all without vectors. `data` has `dedup_pairs/*.jsonl`. The lists in
    `pairs/` count as `held out`.
    """
    pairs, encoder = [*_fetched(data), *_own()], SentenceEncoder()
    asked, suggested = Counter[str](), Counter[str]()
    vectors = {text: encoder.embed(text) for pair in pairs for text in (pair.first, pair.second)}
    by_words = [is_repeat(pair.first, pair.second) for pair in pairs]
    found = {"|words": by_words}
    began = time.process_time()
    for setting, end in _SETTINGS.items():
        found[end] = []
        for (_, _, one, other), repeat in zip(pairs, by_words, strict=True):
            candidate = Candidate(one, vectors[one])
            (verdict,) = judge_candidates(other, vectors[other], [candidate], encoder.name, SIMILARITIES[setting])
            found[end].append(repeat or verdict.same)
    model_took = (time.process_time() - began) / len(_SETTINGS)
    for at, pair in enumerate(pairs):
        for name in _names(pair):
            asked[name] += 1
            for end, same in found.items():
                suggested[f"{name}{end}"] += same[at]
    shares = {f"{name}{end}": suggested[f"{name}{end}"] / asked[name] for name in asked for end in found}
    counts = {f"{name}|pairs": float(asked[name]) for name in asked}
    return shares | counts | {"milliseconds": 1000 * model_took / len(pairs)}


def tables(figures: dict[str, float]) -> list[Table]:
    """The figures as one table, a row for each relation and source, a column for each half."""
    kinds = sorted({tuple(name.split("|")[:2]) for name in figures if "|" in name})
    rows: list[tuple[Cell, ...]] = []
    for relation, source in kinds:
        halves = [f"{relation}|{source}|{half}" for half in (TUNED, HELD_OUT)]
        counts = _whole([figures.get(f"{half}|pairs") for half in halves])
        shares = [[figures.get(f"{half}{end}") for end in (*_SETTINGS.values(), "|words")] for half in halves]
        rows.append(
            (relation, source, *(cell for count, each in zip(counts, shares, strict=True) for cell in (count, *each)))
        )
    told = (*_SETTINGS, "by words alone")
    columns = ("relation", "source", TUNED, *told, HELD_OUT, *told)
    target = "duplicate, all but MRPC >= .45; same_topic_distinct <= .005; update, contradiction 0 in each setting"
    notes = [
        f"The model takes {figures['milliseconds']:.2f} ms per pair, without the time for the vectors.",
        "The halves are determined by a hash of the pair. Pairs with an ambiguous relation are left out.",
        "The duplicates in MRPC are sentences from the news, and the duplicates in STS-B are mostly headlines and captions "
        "of pictures. Users do not say such sentences.",
        "The pairs from prefeval and the written pairs (pairs/distinct.tsv, pairs/same.tsv) are what users say.",
    ]
    return [Table("Merges suggested", columns, rows, target, notes)]


def _whole(counts: list[float | None]) -> list[Cell]:
    return [None if count is None else int(count) for count in counts]


def _names(pair: Pair) -> list[str]:
    half = HELD_OUT if pair.source == "written" else _half(pair.first, pair.second)
    sources = [pair.source]
    if pair.relation == "duplicate" and pair.source not in ("mrpc", "written"):
        sources.append(TOGETHER)
    return [f"{pair.relation}|{source}|{half}" for source in sources]


def _half(first: str, second: str) -> str:
    digest = hashlib.sha256("\n".join(sorted((first, second))).encode()).hexdigest()
    return HELD_OUT if int(digest, 16) % 2 else TUNED


def _fetched(data: Path) -> Iterator[Pair]:
    for path in sorted((data / "dedup_pairs").glob("*.jsonl")):
        for line in path.read_text("utf-8").splitlines():
            row = json.loads(line)
            if row["relation"] != _LEFT_OUT:
                yield Pair(row["relation"], row["source"].replace("/", "-").split("-")[0], row["a"], row["b"])


def _own() -> Iterator[Pair]:
    for line in (FOLDER / "pairs" / "distinct.tsv").read_text("utf-8").splitlines():
        relation, _, first, second = line.split("\t")
        yield Pair(relation, "written", first, second)
    for line in (FOLDER / "pairs" / "same.tsv").read_text("utf-8").splitlines():
        _, first, second = line.split("\t")
        yield Pair("duplicate", "written", first, second)


def _run(given: argparse.Namespace) -> list[Table]:
    return tables(measure(given.data))


if __name__ == "__main__":
    main("merges", "Merges: which are suggested, and which must never be suggested", _run, True)
