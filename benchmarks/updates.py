"""What a store points at: memories that a new one leaves untrue, and memories that say the same."""

import argparse
import json
from collections import Counter
from typing import NamedTuple

from benchmarks.report import FOLDER, Cell, Table, main
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.text.paraphrase.judge import Candidate, judge_candidates
from commonplace.text.paraphrase.repeats import is_repeat

TUNED, HELD_OUT = "tuned on", "held out"


class Pair(NamedTuple):
    """An older text, a newer one, and what they are to each other."""

    relation: str
    old: str
    new: str


def measure() -> dict[str, float]:
    """Shares of pairs, `<set>|<relation>|<half>|<pairs, update or merge>`: odd lines were trained on, even lines held out."""
    encoder = SentenceEncoder()
    asked, said = Counter[str](), Counter[str]()
    for name in ("changes", "duplicates"):
        for at, pair in enumerate(_pairs(name)):
            place = f"{name}|{pair.relation}|{HELD_OUT if at % 2 else TUNED}"
            candidate = Candidate(pair.old, encoder.embed(pair.old))
            verdict = judge_candidates(pair.new, encoder.embed(pair.new), [candidate], encoder.name)[0]
            merged = verdict.same or is_repeat(pair.new, pair.old)
            asked[place] += 1
            said[f"{place}|merge"] += merged
            said[f"{place}|update"] += verdict.change and not merged
    shares = {f"{place}|{kind}": said[f"{place}|{kind}"] / asked[place] for place in asked for kind in ("update", "merge")}
    return shares | {f"{place}|pairs": float(asked[place]) for place in asked}


def tables(figures: dict[str, float]) -> list[Table]:
    """The figures as one table, a row for each relation."""
    rows: list[tuple[Cell, ...]] = []
    for name, relation in sorted({tuple(place.split("|")[:2]) for place in figures}):
        cells: list[Cell] = []
        for half in (TUNED, HELD_OUT):
            place = f"{name}|{relation}|{half}"
            cells += [int(figures[f"{place}|pairs"]), figures[f"{place}|update"], figures[f"{place}|merge"]]
        rows.append((name, relation, *cells))
    columns = ("set", "relation", TUNED, "updates", "merges", HELD_OUT, "updates", "merges")
    reach = "changes: change >= .75 in updates, look_alike <= .10; duplicates: same >= .45 in merges, all others <= .01"
    notes = [
        "Written by somebody who had seen no code (pairs/changes.jsonl, pairs/duplicates.jsonl). The odd lines are among",
        "what the judge was trained on; training/make_judge.py --cross-validate reports how well it does without them.",
        "The figures of the even lines were read seven times while the model was made, none of the lines was.",
    ]
    return [Table("Updates and merges pointed at", columns, rows, reach, notes)]


def _pairs(name: str) -> list[Pair]:
    rows = [json.loads(line) for line in (FOLDER / "pairs" / f"{name}.jsonl").read_text("utf-8").splitlines()]
    if name == "changes":
        return [Pair("change" if row["change"] else "look_alike", row["old"], row["new"]) for row in rows]
    return [Pair(row["label"], row["a"], row["b"]) for row in rows]


def _run(_: argparse.Namespace) -> list[Table]:
    return tables(measure())


if __name__ == "__main__":
    main("updates", "Updates: what a new memory leaves untrue", _run, False)
