"""What the linear model sees of a text: hashed words, character n-grams, cues, and the shapes of its sentences."""

import functools
import re
from collections.abc import Iterator
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from commonplace.text.classifier.cues import CJK, Tagged, normal, sentences, tag, unspaced_classes

SLOTS = 1 << 16
# The share of each family in the squared length of a text's features; flat around these values in cross-validation.
_SHARES = {
    "word": 0.8, "word pair": 1.2, "letters": 2.0, "skeleton pair": 0.5, "skeleton triple": 0.5, "skeleton gap": 0.3,
    "cue": 0.6, "cue pair": 0.2, "sentence opening": 0.5, "text opening": 0.3, "form": 0.3,
}  # fmt: skip
_WIDTHS = {name: share**0.5 for name, share in _SHARES.items()}
_SPACED_MARK = re.compile(r"\w [.?!]")
_NAME_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")

# Dicts without values: sets that keep their order, so that sums come out the same in every process.
_Found = dict[str, dict[str, None]]


class Features(NamedTuple):
    """A text as a sparse vector: slots of the hash table and their values."""

    slots: NDArray[np.int64]
    values: NDArray[np.float32]


@functools.lru_cache(maxsize=64)  # two models look at a clause, and rules mode at the clauses of a message twice
def features(text: str) -> Features:
    """The features of a text, not to be written to; the same text gives the same slots on every machine."""
    slots: list[int] = []
    values: list[float] = []
    for family, found in _families(text).items():
        if found:
            slots += [crc32(f"{family}:{feature}".encode()) % SLOTS for feature in found]
            values += [_WIDTHS[family] / len(found) ** 0.5] * len(found)
    return Features(np.array(slots, dtype=np.int64), np.array(values, dtype=np.float32))


def _families(text: str) -> _Found:
    plain = normal(text)
    tagged = [tag(sentence) for sentence in sentences(plain)]
    found: _Found = {name: {} for name in _SHARES}
    for number, sentence in enumerate(tagged):
        _of_words(found, sentence)
        _of_cues(found, list(dict.fromkeys(name for names in sentence.classes for name in names)))
        _of_opening(found, sentence, first=number == 0)
    _of_cues(found, unspaced_classes(text))
    found["form"].update(dict.fromkeys(_form(text, plain, tagged)))
    return found


def _of_words(found: _Found, sentence: Tagged) -> None:
    framed = ["^", *sentence.words, "$"]
    found["word"].update(dict.fromkeys(framed))
    found["word pair"].update(dict.fromkeys(_runs(framed, 2)))
    bones = ["^", *sentence.skeleton, "$"]
    found["skeleton pair"].update(dict.fromkeys(_runs(bones, 2)))
    found["skeleton triple"].update(dict.fromkeys(_runs(bones, 3)))
    found["skeleton gap"].update(dict.fromkeys(f"{left} {right}" for left, right in zip(bones, bones[2:], strict=False)))
    for word in sentence.words:
        if CJK.search(word):
            found["letters"].update(dict.fromkeys(_pieces(word, (1, 2, 3))))
        elif word[0].isalnum():
            found["letters"].update(dict.fromkeys(_pieces(f" {word} ", (3, 4, 5))))


def _of_cues(found: _Found, names: list[str]) -> None:
    found["cue"].update(dict.fromkeys(names))
    found["cue pair"].update(
        dict.fromkeys(f"{left} {right}" for place, left in enumerate(names) for right in names[place + 1 :])
    )


def _of_opening(found: _Found, sentence: Tagged, *, first: bool) -> None:
    rows: list[tuple[str, list[str], range]]
    rows = [("=", sentence.words, range(1, 4)), ("~", sentence.skeleton, range(2, 5))]
    for kind, row, sizes in rows:
        found["sentence opening"].update(dict.fromkeys(f"{size}{kind}{' '.join(row[:size])}" for size in sizes))
    if first:
        rows = [("=", sentence.words, range(1, 3)), ("~", sentence.skeleton, range(1, 4))]
        for kind, row, sizes in rows:
            found["text opening"].update(dict.fromkeys(f"{size}{kind}{' '.join(row[:size])}" for size in sizes))


def _form(text: str, plain: str, tagged: list[Tagged]) -> Iterator[str]:
    letters = next((char for char in text if char.isalpha()), "")
    length = sum(len(sentence.words) for sentence in tagged)
    cues = {name for sentence in tagged for names in sentence.classes for name in names}
    yield f"sentences {min(len(tagged), 4)}"
    yield f"words {min(length // 4, 12)}"
    yield f"names {min(len(_NAME_INSIDE.findall(text)), 4)}"
    yield f"asks {'?' in plain} {plain.rstrip().endswith(('?', '？'))}"
    yield f"capital {letters.isupper()}"
    yield f"exclaims {'!' in plain}"
    yield f"spaced {_SPACED_MARK.search(text) is not None}"
    yield f"self {not cues.isdisjoint(('me', 'we'))}"
    yield f"digits {'0' in plain}"
    yield f"colon {':' in plain}"


def _runs(row: list[str], size: int) -> Iterator[str]:
    return (" ".join(row[place : place + size]) for place in range(len(row) - size + 1))


def _pieces(word: str, sizes: tuple[int, ...]) -> Iterator[str]:
    return (word[place : place + size] for size in sizes for place in range(len(word) - size + 1))
