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
import warnings
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedGroupKFold
from sklearn.neural_network import MLPClassifier

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.paraphrase.pair_model import LEAST_COSINE, PairModel, must_differ, pair_features

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "pairs.npz"
BENCHMARK = HERE.parent / "benchmarks" / "pairs"
CHANCE = 300
KINDS = ("same", "change")
NETWORKS, UNITS, EPOCHS = 6, 32, 30
REGULARITY, RATE = 1.0, 0.003
VECTOR_SCALE, COUNTED_SPREAD = 3.0, 2.0
VECTORS = 1024
FOLDS = 6
MOST_WRONG = 0.09
"""The share of look-alikes of a set that may be taken for a change, on pairs that are left out; .10 is allowed."""
LOOK_ALIKES, NEITHER = ("changes", "contrasts"), ("distinct", "unchanged")
_CHANGES = {"update", "contradiction"}
Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two texts, what the second does to the first, and where they are from.

    same, change or distinct; `unchanged` is one of same and distinct.
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
        found += [Pair(relation, old, new, path.stem) for relation, _, old, new in rows]
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


def rows_of(found: list[Pair]) -> tuple[Floats, Floats, list[bool]]:
    """The features of each pair, those with its newer text first, and whether its texts must differ."""
    encoder = SentenceEncoder()
    texts = list(dict.fromkeys(text for pair in found for text in (pair.old, pair.new)))
    vectors = {text: vector for text in texts if (vector := encoder.embed(text)) is not None}
    missing = [pair for pair in found if pair.old not in vectors or pair.new not in vectors]
    for pair in missing:
        found.remove(pair)
    rows = [pair_features(pair.old, pair.new, vectors[pair.old], vectors[pair.new]) for pair in found]
    turned = [pair_features(pair.new, pair.old, vectors[pair.new], vectors[pair.old]) for pair in found]
    far = [float(vectors[pair.old] @ vectors[pair.new]) <= LEAST_COSINE for pair in found]
    differ = [apart or must_differ(pair.old, pair.new) for pair, apart in zip(found, far, strict=True)]
    return np.array(rows, dtype=np.float64), np.array(turned, dtype=np.float64), differ


def fitted(rows: Floats, kinds: NDArray[np.intp]) -> PairModel:
    """Networks taught on the rows, without threshold; counted features are brought to one scale, vectors have theirs."""
    mean, scale = rows.mean(axis=0), 1 / (COUNTED_SPREAD * rows.std(axis=0) + 1e-9)
    mean[-VECTORS:], scale[-VECTORS:] = 0, VECTOR_SCALE
    scaled = ((rows - mean) * scale).astype(np.float32)
    nets = [
        MLPClassifier((UNITS,), alpha=REGULARITY, max_iter=EPOCHS, learning_rate_init=RATE, batch_size=64, random_state=at)
        for at in range(NETWORKS)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it ends early on purpose
        for net in nets:
            net.fit(scaled, kinds)
    hidden = np.concatenate([net.coefs_[0] * scale[:, None] for net in nets], axis=1)
    bias = np.concatenate([net.intercepts_[0] for net in nets]) - mean @ hidden
    told, told_bias = (np.stack(every) for every in ([net.coefs_[1] for net in nets], [net.intercepts_[1] for net in nets]))
    hidden, bias, told, told_bias = (array.astype(np.float32) for array in (hidden, bias, told, told_bias))
    return PairModel(
        hidden, bias, told, told_bias, np.zeros((), dtype=np.float32), np.zeros(2, dtype=np.float32), SentenceEncoder.name
    )


def kinds_of(found: list[Pair]) -> NDArray[np.intp]:
    """The same, a change, or neither: `unchanged` counts as neither."""
    return np.array([KINDS.index(pair.relation) if pair.relation in KINDS else len(KINDS) for pair in found])


def left_out_scores(rows: Floats, turned: Floats, found: list[Pair]) -> tuple[Floats, Floats]:
    """The scores of both, each pair's by a model that has not seen it, nor another pair with the same older text.

    That of the same is the mean of both orders; `turned`: the features with the newer text first.
    """
    scores = np.zeros((len(rows), len(KINDS)))
    parts, kinds = [pair.relation + pair.source for pair in found], kinds_of(found)
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=1)
    for train, test in folds.split(rows, parts, [pair.old for pair in found]):
        model = fitted(rows[train], kinds[train])
        scores[test] = [model.log_odds(row) for row in rows[test].astype(np.float32)]
        scores[test, 0] += [model.log_odds(row)[0] for row in turned[test].astype(np.float32)]
    scores[:, 0] /= 2
    return scores[:, 0], scores[:, 1]


def calibrated(same: Floats, change: Floats, found: list[Pair], differ: list[bool]) -> tuple[float, Floats]:
    """The least score of a change, with few look-alikes of each set above it, and the scale of similarity."""
    alike = [
        [score for score, pair in zip(change, found, strict=True) if pair.relation in NEITHER and pair.source == source]
        for source in LOOK_ALIKES
    ]
    least = max(_exceeded_by(MOST_WRONG, scores) for scores in alike)
    known = np.array([pair.relation != "unchanged" for pair in found])
    is_same = np.array([pair.relation == "same" for pair in found])
    line = LogisticRegression(C=np.inf).fit(same[known, None], is_same[known])
    scale = np.array([line.coef_[0, 0], line.intercept_[0]])
    similar = 1 / (1 + np.exp(-(scale[0] * same + scale[1])))
    for source in ("pairs", "contrasts", "changes", "duplicates", "chance"):
        ours = [at for at, pair in enumerate(found) if pair.source == source]
        for relation in ("same", "change", "distinct", "unchanged"):
            these = [at for at in ours if found[at].relation == relation]
            if these:
                merged = [
                    np.mean([similar[at] >= limit and not differ[at] for at in these]) for limit in SIMILARITIES.values()
                ]
                changed = np.mean([change[at] > least for at in these])
                told = " ".join(f"{share:.3f}" for share in merged)
                print(f"{source:10} {relation:8} {len(these):4}  said to be the same {told}, a change {changed:.3f}")
    return least, scale


def _exceeded_by(share: float, scores: list[float]) -> float:
    """The score that no more than this share of the scores is above."""
    return sorted(scores, reverse=True)[int(share * len(scores))]


def main() -> None:
    """Writes the model, or only tells how well it does."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cross-validate", action="store_true")
    given = options.parse_args()
    found = pairs()
    rows, turned, differ = rows_of(found)
    least, scale = calibrated(*left_out_scores(rows, turned, found), found, differ)
    if given.cross_validate:
        return
    model = fitted(rows, kinds_of(found))
    small = {name: array.astype(np.float16) for name, array in model._asdict().items() if name in ("hidden", "told")}
    np.savez_compressed(MODEL, **{**model._asdict(), **small, "least": np.float32(least), "scale": scale.astype(np.float32)})


if __name__ == "__main__":
    main()
