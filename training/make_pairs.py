"""Trains the model of pairs: whether a new text says the same as an old one, or leaves it untrue (a minute).

    python training/make_pairs.py                     writes the model into the package
    python training/make_pairs.py --cross-validate    how well it does on pairs that it was not trained on

Trained on training/pairs/*.tsv and the odd lines of benchmarks/pairs/{changes,duplicates}.jsonl; texts of
training/statements that were drawn by chance are pairs that have nothing to do with each other.
"""

import argparse
import csv
import json
import random
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.text.paraphrase.pair_features import must_differ, pair_features
from commonplace.text.paraphrase.pair_model import LEAST_COSINE

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "pairs.npz"
BENCHMARK = HERE.parent / "benchmarks" / "pairs"
CHANCE = 300
REGULARITY = 0.3
VECTOR_SCALE = 3.0
VECTOR = 256
FOLDS = 8
MOST_WRONG = 0.09
"""The share of look-alikes that may be taken for a change, on pairs that are left out; the set itself allows .10."""
MOST_MERGED = 0.01
"""The share of pairs that are not the same that may be taken for it, likewise."""
_CHANGES = {"update", "contradiction"}
Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two texts, what the second does to the first, and where they are from.

    same, change or distinct; `unchanged` is one of same and distinct, and tells the head of changes alone.
    """

    relation: str
    old: str
    new: str
    source: str


def pairs() -> list[Pair]:
    """All pairs to train on."""
    found = []
    for path in sorted((HERE / "pairs").glob("*.tsv")):
        rows = csv.reader(path.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE)
        found += [Pair(relation, old, new, "own") for relation, _, old, new in rows]
    for row in _odd_lines("changes"):
        found.append(Pair("change" if row["change"] else "unchanged", row["old"], row["new"], "changes"))
    for row in _odd_lines("duplicates"):
        relation = "change" if row["label"] in _CHANGES else "same" if row["label"] == "same" else "distinct"
        found.append(Pair(relation, row["a"], row["b"], "duplicates"))
    return [*found, *_by_chance()]


def _odd_lines(name: str) -> list[dict[str, str]]:
    lines = (BENCHMARK / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[::2]]


def _by_chance() -> list[Pair]:
    lines = [line.split("\t") for path in sorted((HERE / "statements").glob("*.tsv")) for line in path.open(encoding="utf-8")]
    texts = sorted({line[-1].strip() for line in lines if len(line[-1]) < 120})
    chosen = random.Random(1)
    drawn = (chosen.sample(texts, 2) for _ in range(CHANCE))
    return [Pair("distinct", old, new, "chance") for old, new in drawn]


def rows_of(found: list[Pair]) -> tuple[Floats, list[bool]]:
    """The features of each pair, and whether its texts must differ."""
    encoder = SentenceEncoder()
    texts = list(dict.fromkeys(text for pair in found for text in (pair.old, pair.new)))
    vectors = {text: vector for text in texts if (vector := encoder.embed(text)) is not None}
    missing = [pair for pair in found if pair.old not in vectors or pair.new not in vectors]
    for pair in missing:
        found.remove(pair)
    rows = [pair_features(pair.old, pair.new, vectors[pair.old], vectors[pair.new]) for pair in found]
    far = [float(vectors[pair.old] @ vectors[pair.new]) <= LEAST_COSINE for pair in found]
    differ = [apart or must_differ(pair.old, pair.new) for pair, apart in zip(found, far, strict=True)]
    return np.array(rows, dtype=np.float64), differ


def fitted(rows: Floats, yes: NDArray[np.bool_]) -> tuple[Floats, float]:
    """The weights of one head, and the score from which on it says yes half the time."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    mean[-VECTOR:], spread[-VECTOR:] = 0, 1 / VECTOR_SCALE
    head = LogisticRegression(C=REGULARITY, max_iter=3000, class_weight="balanced").fit((rows - mean) / spread, yes)
    weights = head.coef_[0] / spread
    return weights, float(mean @ weights - head.intercept_[0])


def taught(found: list[Pair], relation: str) -> NDArray[np.bool_]:
    """Which pairs tell a head something."""
    return np.array([pair.relation != "unchanged" or relation == "change" for pair in found])


def left_out_scores(rows: Floats, found: list[Pair], relation: str) -> Floats:
    """The scores of one head, each pair's by a model that has not seen it."""
    yes = np.array([pair.relation == relation for pair in found])
    scores = np.zeros(len(rows))
    groups = [pair.relation + pair.source for pair in found]
    told = taught(found, relation)
    for train, test in StratifiedKFold(FOLDS, shuffle=True, random_state=1).split(rows, groups):
        train = train[told[train]]
        weights, least = fitted(rows[train], yes[train])
        scores[test] = rows[test] @ weights - least
    return scores


def thresholds(rows: Floats, found: list[Pair], differ: list[bool]) -> tuple[float, float]:
    """The least scores: above every pair that is not the same; and with few look-alikes above that are no change."""
    same, change = (left_out_scores(rows, found, relation) for relation in ("same", "change"))
    wrong = sorted(
        score
        for score, pair, veto in zip(same, found, differ, strict=True)
        if pair.relation in ("change", "distinct") and not veto and pair.source != "chance"
    )
    alike = sorted(
        score for score, pair in zip(change, found, strict=True) if pair.relation != "change" and pair.source == "changes"
    )
    least = wrong[-1 - int(MOST_MERGED * len(wrong))], alike[-1 - int(MOST_WRONG * len(alike))]
    for source in ("own", "changes", "duplicates", "chance"):
        ours = [at for at, pair in enumerate(found) if pair.source == source]
        for relation in ("same", "change", "distinct", "unchanged"):
            these = [at for at in ours if found[at].relation == relation]
            if these:
                merged = np.mean([same[at] > least[0] and not differ[at] for at in these])
                changed = np.mean([change[at] > least[1] for at in these])
                print(f"{source:10} {relation:8} {len(these):4}  said to be the same {merged:.3f}, a change {changed:.3f}")
    return least


def main() -> None:
    """Writes the model, or only tells how well it does."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cross-validate", action="store_true")
    given = options.parse_args()
    found = pairs()
    rows, differ = rows_of(found)
    least = thresholds(rows, found, differ)
    if given.cross_validate:
        return
    yes = {relation: np.array([pair.relation == relation for pair in found]) for relation in ("same", "change")}
    told = {relation: taught(found, relation) for relation in yes}
    heads = [fitted(rows[told[relation]], yes[relation][told[relation]]) for relation in yes]
    weights = np.stack([weights for weights, _ in heads], axis=1).astype(np.float32)
    moved = np.array([zero + more for (_, zero), more in zip(heads, least, strict=True)], dtype=np.float32)
    np.savez_compressed(MODEL, weights=weights, least=moved, embedder=SentenceEncoder.name)


if __name__ == "__main__":
    main()
