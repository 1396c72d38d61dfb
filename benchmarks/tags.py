"""Merging of tags, judged on pairs that were written before the rules: `python -m benchmarks.tags`.

`benchmarks/tags/pairs.tsv`: pairs of one meaning and of two. Half of them, `fit`, may be looked at and gives the scale of
cosines (`--fit`); the other half, `test`, is reported: how many of two meanings are merged, and how many of one are.
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np

from commonplace.adapters.word_averages import WordAverages
from commonplace.ports.models import Embedder
from commonplace.text.tagging.names import canonical
from commonplace.text.tagging.synonyms import OwnTags, likeness, scale_of

PAIRS = Path(__file__).parent / "tags" / "pairs.tsv"
THRESHOLD = 0.8


class Pair(NamedTuple):
    """Two tags, and whether they mean the same."""

    kind: str
    part: str
    one: str
    other: str


def pairs(part: str) -> list[Pair]:
    """The pairs of a part."""
    rows = (line.split("\t") for line in PAIRS.read_text("utf-8").splitlines() if not line.startswith("#"))
    return [
        pair
        for pair in (Pair(kind, where, one.lower(), other.lower()) for kind, where, one, other in rows)
        if pair.part == part
    ]


def scale(model: Embedder) -> tuple[float, float]:
    """The mean cosine of unrelated tags (of one pair with the next one's), and of those that mean the same but are not
    spelled alike."""
    found = [pair for pair in pairs("fit") if pair.kind == "same"]
    unrelated = [_cosine(model, pair.one, nxt.other) for pair, nxt in zip(found, [*found[1:], found[0]], strict=True)]
    alike = [_cosine(model, pair.one, pair.other) for pair in found if canonical(pair.one) != canonical(pair.other)]
    return float(np.mean(unrelated)), float(np.mean(alike))


def merged(found: Sequence[Pair], model: Embedder, threshold: float = THRESHOLD) -> list[Pair]:
    """Those of the pairs that would become one tag."""
    words = WordAverages()
    own, by = OwnTags({}, words.has_word, lambda _short, _long: True), scale_of(model.name)
    judged = [(pair, likeness(pair.one, pair.other, own, _cosine(model, pair.one, pair.other), by)) for pair in found]
    return [pair for pair, alike in judged if alike.difference is None and alike.similarity >= threshold]


def _cosine(model: Embedder, one: str, other: str) -> float:
    first, second = (model.embed(tag.replace("-", " ")) for tag in (one, other))
    return 0.0 if first is None or second is None else float(first @ second)


def main() -> None:
    from commonplace.adapters.sentence_encoder import SentenceEncoder

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--fit", action="store_true", help="print the scale, and look at the half for it")
    fits = parser.parse_args().fit
    model = SentenceEncoder()
    if fits:
        print(f"[{model.name}]\nunrelated = {scale(model)[0]:.3f}\nsame = {scale(model)[1]:.3f}\n")
    for kind in ("same", "other"):
        found = [pair for pair in pairs("fit" if fits else "test") if pair.kind == kind]
        ones = merged(found, model)
        print(f"{model.name} {kind}: {len(ones)} of {len(found)} merged")
        if fits:
            print("  ", [(pair.one, pair.other) for pair in found if (pair in ones) == (kind == "other")])


if __name__ == "__main__":
    main()
