"""The trained judge. It reports which memories say the same as a new one, and which memories the new one makes untrue.

Two groups of small networks compare the new memory with each candidate. A logistic regression then judges the list: it
sees how a candidate compares with the other candidates. `training/make_judge.py` trains both.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from commonplace.domain.loading import DATA, loaded_once
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.paraphrase.pair_features import (
    FIRST_VALUES,
    Vector,
    is_long,
    is_value_changed,
    must_differ,
    pair_features,
)

BALANCED = SIMILARITIES["balanced"]
LEAST_COSINE = 0.46
"""Minimum cosine of texts with the same meaning. The model was trained on few pairs with a lower cosine."""
_LEAST_SHARE = 1e-6
_MOST_NEARER = 8  # counts at most this many nearer candidates
_SAME, _CHANGE = 0, 1  # columns of the log odds


class Candidate(NamedTuple):
    """The text of an older memory and its vector, which is None if the embedder can't read the text."""

    text: str
    vector: Vector | None


class Comparison(NamedTuple):
    """A new text, its vector, and the older texts with their vectors. They are compared as one list."""

    text: str
    vector: Vector
    older: Sequence[tuple[str, Vector]]


class Verdict(NamedTuple):
    """Whether a candidate says the same as the new memory, and whether the new memory makes it untrue. Never both."""

    same: bool
    change: bool


NEITHER = Verdict(same=False, change=False)


class Networks(NamedTuple):
    """Networks with one hidden layer. Each gives scores for three classes: the same, a change, neither.

    The shapes are inputs x (networks * units) for `hidden` and networks x units x 3 for `output`.
    """

    hidden: Vector
    hidden_bias: Vector
    output: Vector
    output_bias: Vector

    def log_odds(self, rows: Vector) -> Vector:
        """Return the log odds of the same and of a change, one row for each pair. Averages the log probabilities."""
        units = np.maximum(rows @ self.hidden + self.hidden_bias, 0).reshape(len(rows), len(self.output), -1)
        logits = np.einsum("rnu,nuc->rnc", units, self.output) + self.output_bias
        logits -= logits.max(axis=2, keepdims=True)
        shares = np.exp((logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))).mean(axis=1))
        shares = np.clip(shares / shares.sum(axis=1, keepdims=True), _LEAST_SHARE, 1 - _LEAST_SHARE)
        odds: Vector = np.log(shares / (1 - shares))[:, :2]
        return odds


class Judge(NamedTuple):
    """The trained arrays.

    `pairs` finds changes, `paraphrases` finds texts with the same meaning. `line` has a weight for each list feature of a
    candidate; its last value is the offset. `least` is the minimum log odds of a change. `scale` has the slope and the offset
    that convert log odds of the same to a similarity. `embedder` names the model of the vectors.
    """

    pairs: Networks
    paraphrases: Networks
    line: Vector
    least: Vector
    scale: Vector
    embedder: str

    def similarity(self, one: str, other: str, vector: Vector, more: Vector) -> float:
        """Return the probability, 0 to 1, that both texts mean the same. The order of the texts doesn't matter.

        Calibrated on pairs that were left out in training: of the pairs with 0.8, four of five mean the same.
        """
        rows = pair_features([(one, other), (other, one)], np.stack([vector, more]), np.stack([more, vector]))
        slope, offset = self.scale
        return float(1 / (1 + np.exp(-(slope * self.paraphrases.log_odds(rows)[:, _SAME].mean() + offset))))


def list_features(rows: Vector, odds: Vector, are_values: Sequence[bool]) -> Vector:
    """Return the features of each candidate in its list: its own values, and how they compare with the other candidates.

    `rows` are its pair features, `odds` its log odds of the same and of a change.
    """
    universal, e5, words, stems = (rows[:, place] for place in FIRST_VALUES)
    compared = (odds[:, _CHANGE], universal, e5)
    relative = [column for values in compared for column in (values - values.mean(), values - _find_best_other(values))]
    nearer = (universal[None, :] > universal[:, None]).sum(axis=1)
    own = (odds[:, _CHANGE], odds[:, _SAME], universal, e5, words, stems, np.asarray(are_values, dtype=np.float32))
    place = (nearer == 0, np.minimum(nearer, _MOST_NEARER), np.full(len(rows), len(rows) == 1))
    return np.column_stack([*own, *relative, *place]).astype(np.float32)


def _find_best_other(values: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return for each value the highest of the other values. A single value is compared with itself."""
    if len(values) == 1:
        return values
    second, first = np.sort(values)[-2:]
    others: NDArray[np.float32] = np.where(np.arange(len(values)) == values.argmax(), second, first)
    return others


def judge_candidates(
    text: str, vector: Vector | None, candidates: Sequence[Candidate], embedder: str, least: float = BALANCED
) -> list[Verdict]:
    """Judge the candidates of a new memory by their words and vectors, as one list.

    `least` is the minimum similarity of texts with the same meaning. Without vectors of the judge's embedder, the verdict is
    neither. A candidate that may be untrue is never the same.
    """
    verdicts = [NEITHER] * len(candidates)
    if vector is None or embedder != judge().embedder:
        return verdicts
    known = [(place, (old, other)) for place, (old, other) in enumerate(candidates) if other is not None]
    (odds,) = change_odds([Comparison(text, vector, [candidate for _, candidate in known])], embedder)
    for (place, (old, other)), sure in zip(known, odds.tolist(), strict=True):
        change = sure > 0
        verdicts[place] = Verdict(same=not change and is_paraphrase(old, text, other, vector, least), change=change)
    return verdicts


def is_paraphrase(old: str, new: str, old_vector: Vector, new_vector: Vector, least: float = BALANCED) -> bool:
    """Return whether two texts have the same meaning, by rules that refuse it and then by the networks."""
    if float(old_vector @ new_vector) <= LEAST_COSINE or is_long(old) or is_long(new) or must_differ(old, new):
        return False
    return judge().similarity(old, new, old_vector, new_vector) >= least


def change_odds(lists: Sequence[Comparison], embedder: str) -> list[Vector]:
    """Return for each older text of each list how sure it is that the new text gives another value of its attribute.

    Each list is judged on its own. The values are log odds above the minimum that a store needs to report an older text as
    outdated. Without the judge's embedder, they are minus infinity.
    """
    sizes, model = [len(one.older) for one in lists], judge()
    if embedder != model.embedder or not sum(sizes):
        return [np.full(size, -np.inf, dtype=np.float32) for size in sizes]
    pairs = [(old, one.text) for one in lists for old, _ in one.older]
    old_vectors = np.stack([vector for one in lists for _, vector in one.older])
    new_vectors = np.stack([one.vector for one in lists for _ in one.older])
    rows = pair_features(pairs, old_vectors, new_vectors)
    columns = rows, model.pairs.log_odds(rows), [is_value_changed(*pair) for pair in pairs]
    ends = np.cumsum(sizes)[:-1]
    parts = (np.split(column, ends) for column in columns)
    features = np.concatenate([list_features(*part) for part in zip(*parts, strict=True) if len(part[0])])
    return np.split(features @ model.line[:-1] + model.line[-1] - model.least, ends)


@loaded_once
def judge() -> Judge:
    """Return the packaged judge. It is loaded once per process."""
    with np.load(DATA / "judge.npz") as arrays:
        values = {name: arrays[name].astype(np.float32) for name in arrays.files if name != "embedder"}
        pairs, paraphrases = (
            Networks(*(values[f"{group}_{name}"] for name in Networks._fields)) for group in ("pairs", "paraphrases")
        )
        return Judge(pairs, paraphrases, values["line"], values["least"], values["scale"], str(arrays["embedder"]))
