"""Trains the judge of similar memories: which say the same as a new one, and which the new one makes untrue.

    python training/make_judge.py                     writes the judge into the package (ten minutes)
    python training/make_judge.py --cross-validate    only prints figures for situations and pairs that were left out

It has two stages. Networks compare two texts. They learn from training/pairs, the odd lines of
benchmarks/pairs/{changes,duplicates}.jsonl, and the situations. A logistic regression then judges a list of candidates. It
learns from scores of networks that were trained without the texts in question. Other networks find texts with the same
meaning. They learn from all pairs but values.tsv.
"""

import argparse
import csv
import json
import random
import warnings
from collections import defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from rich.progress import track
from sklearn.exceptions import ConvergenceWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, StratifiedGroupKFold
from sklearn.neural_network import MLPClassifier

from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.text.foundation import tokenizer
from commonplace.text.paraphrase.judge import LEAST_COSINE, Networks, list_features
from commonplace.text.paraphrase.pair_features import is_value_changed, must_differ, pair_features

HERE = Path(__file__).parent
MODEL = HERE.parent / "layers" / "commonplace" / "commonplace" / "data" / "judge.npz"
BENCHMARK = HERE.parent / "benchmarks" / "pairs"
KINDS = ("same", "change")  # every other relation is neither
_CHANGES = {"update", "contradiction"}
CHANCE = 300

NETWORKS, UNITS, EPOCHS = 6, 32, 30
REGULARITY, RATE = 1.0, 0.003
VECTOR_SCALE, COUNTED_SPREAD = 3.0, 2.0
VECTORS = 1024
FOLDS = 5

CANDIDATES = 8  # by vector, and as many by words, as in a store
FILLERS, PAIR_FILLERS, STORED_OF_A_LIFE = 40, 12, 15
SHARES = {"situation": 1.0, "pair": 1.0, "fillers": 0.1, "life": 0.12, "pair fillers": 0.02, "absent": 0.05}
"""Shares of the compared pairs that the networks learn from. Most are unrelated."""
WEIGHTS = {"life": 0.5, "absent": 0.5}
LEAST_OUTDATED = 0.62
"""Minimum probability of an outdated memory. A store then reports 2 of the 16 look-alikes of changes/dev (4 of 16 at .5), and
.74 of what is reported in left-out situations is right."""
Floats = NDArray[np.float64]


class Pair(NamedTuple):
    """Two texts, what the second does to the first, and the source.

    The relation is same, change or distinct, or `unchanged` if it is one of same and distinct.
    """

    relation: str
    language: str
    old: str
    new: str
    source: str


class Case(NamedTuple):
    """A new text and the candidates that it is compared with. `group` is held out as a whole.

    `outdated` are the places of the candidates that the new text makes untrue.
    """

    group: str
    kind: str
    new: str
    candidates: Sequence[str]
    outdated: frozenset[int]


class Compared(NamedTuple):
    """The compared pairs of all cases, one row each. `taught` marks the pairs that the networks learn from."""

    rows: NDArray[np.float32]
    are_values: NDArray[np.bool_]
    outdated: NDArray[np.bool_]
    kinds: NDArray[np.intp]
    cases: NDArray[np.intp]
    taught: NDArray[np.bool_]


def pairs() -> list[Pair]:
    """Return all pairs to train on."""
    found = []
    for path in sorted((HERE / "pairs").glob("*.tsv")):
        rows = csv.reader(path.open(encoding="utf-8"), delimiter="\t", quoting=csv.QUOTE_NONE)
        found += [Pair(relation, language, old, new, path.stem) for relation, language, old, new in rows]
    for row in _odd_lines("changes"):
        found.append(Pair("change" if row["change"] else "unchanged", "en", row["old"], row["new"], "changes"))
    for row in _odd_lines("duplicates"):
        relation = "change" if row["label"] in _CHANGES else "same" if row["label"] == "same" else "distinct"
        found.append(Pair(relation, "en", row["a"], row["b"], "duplicates"))
    return [*found, *_by_chance()]


def _odd_lines(name: str) -> list[dict[str, str]]:
    lines = (BENCHMARK / f"{name}.jsonl").read_text("utf-8").splitlines()
    return [json.loads(line) for line in lines[::2]]


def _by_chance() -> list[Pair]:
    lines = [line.split("\t") for path in sorted((HERE / "statements").glob("*.tsv")) for line in path.open(encoding="utf-8")]
    texts = sorted({line[-1].strip() for line in lines if len(line[-1]) < 120})
    chosen = random.Random(1)
    drawn = (chosen.sample(texts, 2) for _ in range(CHANCE))
    return [Pair("distinct", "en", old, new, "chance") for old, new in drawn]


def _read_lines(folder: str) -> list[tuple[str, dict[str, object]]]:
    files = sorted((HERE / folder).glob("*.jsonl"))
    return [
        (f"{path.stem} {at}", json.loads(line))
        for path in files
        for at, line in enumerate(path.read_text("utf-8").splitlines())
    ]


def cases(found: Iterable[Pair]) -> list[Case]:
    """Return the lists to learn from: situations and pairs, alone and among facts of a life, and lives without changes.

    In an `absent` list the fact that changed is missing, so nothing is outdated.
    """
    chosen = random.Random(2)
    situations = _read_lines("situations")
    lives = {name: (str(row["language"]), _texts(row["facts"])) for name, row in _read_lines("questions")}
    fillers = defaultdict(list)
    for language, facts in lives.values():
        fillers[language].append(facts)
    for language in {str(row["lang"]) for _, row in situations} - fillers.keys():
        others = [fact for _, row in situations if row["lang"] == language for fact in _texts(row["facts"])]
        fillers[language].append(others)

    def draw(language: str, count: int, but: Sequence[str]) -> list[str]:
        facts = chosen.choice(fillers.get(language) or fillers["en"])
        return [fact for fact in chosen.sample(facts, min(count, len(facts))) if fact not in but]

    built = []
    for name, row in situations:
        facts, new, outdated = _texts(row["facts"]), str(row["new"]), frozenset(row["outdated"])  # type: ignore[call-overload]
        built.append(Case(name, "situation", new, facts, outdated))
        more = draw(str(row["lang"]), FILLERS, facts)
        built.append(Case(name, "fillers", new, [*facts, *more], outdated))
        if outdated:
            others = [fact for place, fact in enumerate(facts) if place not in outdated]
            built += [
                Case(name, "absent", new, others, frozenset()),
                Case(name, "absent", new, [*others, *more], frozenset()),
            ]
    for name, (_, facts) in lives.items():
        for new in chosen.sample(facts, min(STORED_OF_A_LIFE, len(facts))):
            built.append(Case(name, "life", new, [fact for fact in facts if fact != new], frozenset()))
    for pair in found:
        if pair.source != "chance" and not pair.source.startswith("near"):
            outdated = frozenset({0} if pair.relation == "change" else ())
            built.append(Case(pair.old, "pair", pair.new, [pair.old], outdated))
            more = draw(pair.language, PAIR_FILLERS, [pair.old])
            built.append(Case(pair.old, "pair fillers", pair.new, [pair.old, *more], outdated))
            if outdated:
                built.append(Case(pair.old, "absent", pair.new, more, frozenset()))
    return built


def _texts(values: object) -> list[str]:
    assert isinstance(values, list)
    return [str(value) for value in values]


class Vectors:
    """The vectors of all texts that the encoder can read."""

    def __init__(self) -> None:
        self._encoder = SentenceEncoder()
        self._vectors: dict[str, NDArray[np.float32] | None] = {}

    def of(self, text: str) -> NDArray[np.float32] | None:
        if text not in self._vectors:
            self._vectors[text] = self._encoder.embed(text)
        return self._vectors[text]

    def features(self, pairs: Sequence[tuple[str, str]]) -> NDArray[np.float32]:
        """Return the features of pairs (old, new) of known texts."""
        old, new = (np.array([self.of(pair[side]) for pair in pairs], dtype=np.float32) for side in (0, 1))
        return pair_features(pairs, old, new)


def compared(found: list[Case], vectors: Vectors, same: set[tuple[str, str]]) -> Compared:
    """Return the compared pairs of all cases. Each case keeps the candidates that a store would compare.

    `same` has the pairs (old, new) with the same meaning.
    """
    chosen = random.Random(3)
    pairs, outdated, places, taught = [], [], [], []
    for at, case in enumerate(track(found, "comparing")):
        known = [place for place, text in enumerate(case.candidates) if vectors.of(text) is not None]
        for place in _nearest(case, known, vectors) if vectors.of(case.new) is not None else ():
            pairs.append((case.candidates[place], case.new))
            outdated.append(place in case.outdated)
            places.append(at)
            taught.append(chosen.random() < SHARES[case.kind])
    kinds = [
        KINDS.index("change") if changed else 0 if pair in same else len(KINDS)
        for pair, changed in zip(pairs, outdated, strict=True)
    ]
    are_values = [is_value_changed(*pair) for pair in pairs]
    return Compared(vectors.features(pairs), *map(np.array, (are_values, outdated, kinds, places, taught)))


def _nearest(case: Case, known: list[int], vectors: Vectors) -> list[int]:
    if len(known) <= 2 * CANDIDATES:
        return known
    new, terms = vectors.of(case.new), set(tokenizer.terms(case.new))
    cosines = {place: float(new @ vectors.of(case.candidates[place])) for place in known}  # type: ignore[operator]
    shared = {place: len(terms & set(tokenizer.terms(case.candidates[place]))) for place in known}
    by_vector = sorted(known, key=lambda place: -cosines[place])[:CANDIDATES]
    by_words = [place for place in sorted(known, key=lambda place: -shared[place])[:CANDIDATES] if shared[place]]
    return list(dict.fromkeys([*by_vector, *by_words]))


def fit_networks(rows: NDArray[np.float32], kinds: NDArray[np.intp]) -> Networks:
    """Return trained networks. Counts are standardized, and vectors have a scale of their own."""
    mean, scale = rows.mean(axis=0, dtype=np.float64), 1 / (COUNTED_SPREAD * rows.std(axis=0, dtype=np.float64) + 1e-9)
    mean[-VECTORS:], scale[-VECTORS:] = 0, VECTOR_SCALE
    scaled = ((rows - mean) * scale).astype(np.float32)
    nets = [
        MLPClassifier((UNITS,), alpha=REGULARITY, max_iter=EPOCHS, learning_rate_init=RATE, batch_size=64, random_state=at)
        for at in range(NETWORKS)
    ]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # training stops early on purpose
        for net in track(nets, "training"):
            net.fit(scaled, kinds)
    hidden = np.concatenate([net.coefs_[0] * scale[:, None] for net in nets], axis=1)
    bias = np.concatenate([net.intercepts_[0] for net in nets]) - mean @ hidden
    output, output_bias = (
        np.stack(every) for every in ([net.coefs_[1] for net in nets], [net.intercepts_[1] for net in nets])
    )
    return Networks(*(array.astype(np.float32) for array in (hidden, bias, output, output_bias)))


def left_out_odds(data: Compared, found: list[Case]) -> NDArray[np.float32]:
    """Return the log odds of every compared pair, by networks that have seen no pair of its group."""
    groups = np.array([found[at].group for at in data.cases])
    odds = np.zeros((len(groups), len(KINDS)), dtype=np.float32)
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=1).split(groups, groups=groups):
        taught = train[data.taught[train]]
        odds[test] = fit_networks(data.rows[taught], data.kinds[taught]).log_odds(data.rows[test])
    return odds


def features_of(data: Compared, odds: NDArray[np.float32]) -> NDArray[np.float32]:
    """Return the list features of every compared pair."""
    ends = np.flatnonzero(np.diff(data.cases)) + 1
    parts = (np.split(array, ends) for array in (data.rows, odds, data.are_values))
    return np.concatenate([list_features(*part) for part in zip(*parts, strict=True)])


def fit_line(features: NDArray[np.float32], outdated: NDArray[np.bool_], weights: Floats) -> Floats:
    """Return the weights of a logistic regression for the raw features, and its offset as the last value."""
    mean, spread = features.mean(axis=0, dtype=np.float64), features.std(axis=0, dtype=np.float64) + 1e-9
    line = LogisticRegression(C=1.0, max_iter=1000).fit((features - mean) / spread, outdated, weights)
    scaled = line.coef_[0] / spread
    return np.append(scaled, line.intercept_[0] - mean @ scaled)


def left_out_scores(features: NDArray[np.float32], data: Compared, found: list[Case], weights: Floats) -> Floats:
    """Return the log odds that each candidate is outdated, by a regression that has seen no list of its group."""
    groups = np.array([found[at].group for at in data.cases])
    scores = np.zeros(len(groups))
    for train, test in GroupKFold(FOLDS, shuffle=True, random_state=2).split(groups, groups=groups):
        line = fit_line(features[train], data.outdated[train], weights[train])
        scores[test] = features[test] @ line[:-1] + line[-1]
    return scores


def print_outdated(scores: Floats, data: Compared, found: list[Case]) -> None:
    """Print how many changes are found in lists that were left out, and how much of what is reported is right."""
    probability = 1 / (1 + np.exp(-scores))
    kinds = np.array([found[at].kind for at in data.cases])
    for kind in SHARES:
        ours = kinds == kind
        count = sum(len(case.outdated) for case in found if case.kind == kind)
        cells = []
        for least in (0.4, 0.5, 0.55, 0.6, 0.65, 0.7, 0.8):
            named = ours & (probability >= least)
            right = int((named & data.outdated).sum())
            wrong = len(np.unique(data.cases[named & ~data.outdated])) / sum(case.kind == kind for case in found)
            cells.append(f"{least}: {right / max(1, count):.3f}/{right / max(1, named.sum()):.3f}/{wrong:.3f}")
        print(f"{kind:14} {count:5} outdated  found/right/lists with a wrong one  {'  '.join(cells)}")


def kinds_of(found: list[Pair]) -> NDArray[np.intp]:
    """Return the class of each pair: the same, a change, or neither. `unchanged` counts as neither."""
    return np.array([KINDS.index(pair.relation) if pair.relation in KINDS else len(KINDS) for pair in found])


def similarity_scores(found: list[Pair], rows: NDArray[np.float32], turned: NDArray[np.float32]) -> Floats:
    """Return the mean log odds of the same in both orders, by networks that have seen no pair with the same older text."""
    scores = np.zeros(len(found))
    parts, kinds = [pair.relation + pair.source for pair in found], kinds_of(found)
    folds = StratifiedGroupKFold(FOLDS, shuffle=True, random_state=1)
    for train, test in folds.split(rows, parts, [pair.old for pair in found]):
        model = fit_networks(np.concatenate([rows[train], turned[train]]), np.tile(kinds[train], 2))
        scores[test] = (model.log_odds(rows[test])[:, 0] + model.log_odds(turned[test])[:, 0]) / 2
    return scores


def fit_scale(same: Floats, found: list[Pair], differ: list[bool]) -> Floats:
    """Return the slope and offset that make a similarity of the log odds, and print what each setting finds."""
    known = np.array([pair.relation != "unchanged" for pair in found])
    is_same = np.array([pair.relation == "same" for pair in found])
    line = LogisticRegression(C=np.inf).fit(same[known, None], is_same[known])
    scale = np.array([line.coef_[0, 0], line.intercept_[0]])
    similar = 1 / (1 + np.exp(-(scale[0] * same + scale[1])))
    for source in sorted({pair.source for pair in found}):
        for relation in ("same", "change", "distinct", "unchanged"):
            these = [at for at, pair in enumerate(found) if (pair.source, pair.relation) == (source, relation)]
            if these:
                shares = [
                    f"{np.mean([similar[at] >= least and not differ[at] for at in these]):.3f}"
                    for least in SIMILARITIES.values()
                ]
                print(f"{source:10} {relation:9} {len(these):4}  reported as the same {' '.join(shares)}")
    return scale


def main() -> None:
    """Train the judge and write it, or only print its figures."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--cross-validate", action="store_true")
    given = options.parse_args()
    vectors = Vectors()
    known = [pair for pair in pairs() if vectors.of(pair.old) is not None and vectors.of(pair.new) is not None]
    found = cases(known)
    data = compared(found, vectors, {(pair.old, pair.new) for pair in known if pair.relation == "same"})
    odds = left_out_odds(data, found)
    features = features_of(data, odds)
    weights = np.array([WEIGHTS.get(found[at].kind, 1.0) for at in data.cases])
    print_outdated(left_out_scores(features, data, found, weights), data, found)

    known = [pair for pair in known if pair.source != "values"]  # all of them have another meaning
    texts = [(pair.old, pair.new) for pair in known]
    both = vectors.features(texts), vectors.features([(new, old) for old, new in texts])
    cosines = [float(vectors.of(old) @ vectors.of(new)) for old, new in texts]  # type: ignore[operator]
    differ = [cosine <= LEAST_COSINE or must_differ(old, new) for cosine, (old, new) in zip(cosines, texts, strict=True)]
    scale = fit_scale(similarity_scores(known, *both), known, differ)
    if given.cross_validate:
        return
    networks = {
        "pairs": fit_networks(data.rows[data.taught], data.kinds[data.taught]),
        "paraphrases": fit_networks(np.concatenate(both), np.tile(kinds_of(known), 2)),
    }
    arrays = {f"{group}_{name}": array for group, trained in networks.items() for name, array in trained._asdict().items()}
    small = {name: array.astype(np.float16) for name, array in arrays.items() if not name.endswith("bias")}
    least = np.log(LEAST_OUTDATED / (1 - LEAST_OUTDATED))
    numbers = {"line": fit_line(features, data.outdated, weights), "least": least, "scale": scale}
    np.savez_compressed(
        MODEL,
        **{**arrays, **small, **{name: np.float32(array) for name, array in numbers.items()}},
        embedder=SentenceEncoder.name,
    )


if __name__ == "__main__":
    main()
