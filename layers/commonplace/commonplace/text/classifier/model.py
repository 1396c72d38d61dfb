"""Classify statements and clauses with linear models that use hashed features and embeddings.

A text's features are its normalized words and the classes of its cue words, such as liking, habit or kin.
"""

import functools
import json
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Literal, NamedTuple, Self, get_args
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from commonplace.domain.loading import DATA, loaded_once
from commonplace.domain.taxonomy import Category, StatementType
from commonplace.text.foundation.expressions import read_table

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_STOPS = frozenset("!.?;。！？…")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[?!.;:,…¿¡。！？、，]|[\U0001F300-\U0001FAFF\u2600-\u27BF]")
_DIGIT = re.compile(r"\d")
_QUOTES = str.maketrans("’‘`´“”", "''''\"\"")
_LAST_FOLDED = "\u058f"  # Latin, Greek, Cyrillic and Armenian end here. In later scripts, marks are part of letters.


def normal(text: str) -> str:
    """Return the text as the cue table spells it: lower case, no accents, contractions written out, and digits as 0."""
    plain = unicodedata.normalize("NFKC", text).translate(_QUOTES).lower()
    if not plain.isascii():
        plain = "".join(char if char > _LAST_FOLDED else _strip_marks(char) for char in plain)
    english = _load_english_table()
    if english.contracted.search(plain):
        for pattern, written_out in english.contractions:
            plain = pattern.sub(written_out, plain)
    return _DIGIT.sub("0", plain)


class _English(NamedTuple):
    contracted: re.Pattern[str]
    contractions: tuple[tuple[re.Pattern[str], str], ...]
    function: frozenset[str]


@functools.cache
def _load_english_table() -> _English:
    table = read_table(__package__, "words.toml")
    contractions = tuple((re.compile(pattern), written_out) for pattern, written_out in table["contractions"])
    return _English(re.compile(table["contracted"]), contractions, frozenset(table["function"].split()))


def words(plain: str) -> list[str]:
    """Return the words, punctuation marks and emoji of a text normalized by `normal`."""
    return _WORD.findall(plain)


def sentences(plain: str) -> list[list[str]]:
    """Split a normalized text into sentences, as lists of words and marks. If there are no words, return one empty list."""
    sentences: list[list[str]] = [[]]
    for word in words(plain):
        sentences[-1].append(word)
        if word in _STOPS:
            sentences.append([])
    return [sentence for sentence in sentences if any(word not in _STOPS for word in sentence)] or [[]]


def _strip_marks(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn")


class Lexicon(NamedTuple):
    """The table of cues. `phrases` and `stems` map to classes. `longest` is the maximum length of phrases by first word."""

    phrases: dict[str, list[str]]
    longest: dict[str, int]
    stems: dict[str, list[str]]
    stem_lengths: list[int]
    unspaced: list[tuple[str, str]]


class Tagged(NamedTuple):
    """A sentence with the cue classes of each word. In `skeleton`, classes and word shapes replace all but function words."""

    words: list[str]
    classes: list[list[str]]
    skeleton: list[str]


def tag(sentence: list[str]) -> Tagged:
    """Return a sentence with the cue classes of each word and its skeleton. `sentence` is a list from `sentences`."""
    table = lexicon()
    classes: list[list[str]] = []
    skeleton: list[str] = []
    covered = 0
    for place, word in enumerate(sentence):
        names, span = _find_cues_at(table, sentence, place)
        classes.append(names)
        if place < covered:
            continue
        if names and (span > 1 or word not in _load_english_table().function):
            skeleton.append(f"<{names[0]}>")
            covered = place + span
        else:
            skeleton.append(word if word in _load_english_table().function or not word[0].isalnum() else _get_shape(word))
    return Tagged(sentence, classes, skeleton)


def unspaced_classes(text: str) -> list[str]:
    """Return the classes of the Chinese, Japanese and Korean cues in a text, in the order of the table."""
    if not CJK.search(text):
        return []
    padded = text + " "
    return list(dict.fromkeys(name for phrase, name in lexicon().unspaced if phrase in padded))


@loaded_once
def lexicon() -> Lexicon:
    """Return the packaged table of cues, which is loaded once per process."""
    table = read_table(__package__, "cues.toml")
    made = Lexicon({}, {}, {}, [], [])
    for name, listed in table.items():
        for phrase in listed.replace("\n", " ").split(","):
            _add_cue(made, phrase, name)
    made.stem_lengths.extend(sorted({len(stem) for stem in made.stems}))
    return made


def _add_cue(table: Lexicon, phrase: str, name: str) -> None:
    """Add a phrase to the cues of the class `name`. A single word that ends with "*" is a stem."""
    if CJK.search(phrase):
        # A Korean cue may end with a space, so that its particle must end the word.
        table.unspaced.append((phrase.lstrip(), name))
        return
    parts = words(normal(phrase.strip()))
    if not parts:
        return
    if phrase.rstrip().endswith("*") and len(parts) == 1:
        table.stems.setdefault(parts[0], []).append(name)
        return
    listed = table.phrases.setdefault(" ".join(parts), [])
    if name not in listed:
        listed.append(name)
    table.longest[parts[0]] = max(table.longest.get(parts[0], 0), len(parts))


def _find_cues_at(table: Lexicon, sentence: list[str], place: int) -> tuple[list[str], int]:
    """Return the classes of the cues that begin at `place`, longest first, and the longest one's word count, or ([], 0)."""
    word = sentence[place]
    names: list[str] = []
    span = 0
    for size in range(min(table.longest.get(word, 0), len(sentence) - place), 0, -1):
        listed = table.phrases.get(" ".join(sentence[place : place + size]))
        if listed:
            names += [name for name in listed if name not in names]
            span = span or size
    if not names:
        for length in table.stem_lengths:
            names += table.stems.get(word[:length], ()) if length <= len(word) else ()
        span = 1 if names else 0
    return names, span


def _get_shape(word: str) -> str:
    """Return a word's shape: up to four zeros for digits, "0x" for a mixture, its ending ("-ing", "-s"), or "w"."""
    if word[0] == "0":
        return word[:4] if word.isdigit() else "0x"
    for ending, least in (("ing", 5), ("ed", 4), ("ly", 5), ("s", 4)):
        if len(word) >= least and word.endswith(ending):
            return "-" + ending
    return "w"


Vector = NDArray[np.float32]
IMPORTANCE_STEPS = (2, 3, 4, 5)
Kind = Literal["fact", "wish", "passing", "asking", "imagined", "role_play", "others", "pasted", "injection"]
"""A "fact" is about the user and still worth knowing in a few months. A "wish" says how the assistant should behave.

The kind "passing" is small talk, "asking" is a question or request, "imagined" is a hypothetical or a joke, "role_play" is a
line from a role or from fiction, "others" is about other people, "pasted" was written by somebody else, and "injection" tries
to command the assistant."""
KINDS: tuple[Kind, ...] = get_args(Kind)
Shares = Mapping[Kind, float]
SLOTS = 1 << 16
# Each family's share of the squared length of a text's feature vector. In cross-validation, similar values do as well.
_SHARES = {
    "word": 0.8, "word pair": 1.2, "letters": 2.0, "skeleton pair": 0.5, "skeleton triple": 0.5, "skeleton gap": 0.3,
    "cue": 0.6, "cue pair": 0.2, "sentence opening": 0.5, "text opening": 0.3, "form": 0.3,
}  # fmt: skip
_WIDTHS = {name: share**0.5 for name, share in _SHARES.items()}
_SPACED_MARK = re.compile(r"\w [.?!]")
_NAME_INSIDE = re.compile(r"(?<=[a-z,] )[A-Z][a-z]+")
# Dicts serve as ordered sets. Their fixed order makes sums identical in every process.
_Families = dict[str, dict[str, None]]


@dataclass(frozen=True, eq=False)
class Encoded:
    """The heads for the features that sentence encoders compute from a text.

    `single` contains the weights of the features, and `axes` contains their principal directions. `pairs` times `scales`
    gives the weights for the products of any two directions. Only these products distinguish wishes to the assistant from
    personal wishes. `mean` and `widths` normalize the features.
    """

    mean: NDArray[np.float32]
    widths: NDArray[np.float32]
    axes: NDArray[np.float16]
    single: NDArray[np.float16]
    pairs: NDArray[np.int8]
    scales: NDArray[np.float32]

    def scores(self, features: Vector) -> Vector:
        """Return the amounts that a text's encoder features add to the score of each head."""
        axes, single, pairs = _convert_to_float32(self)
        seen = scaled(features, self.mean, self.widths)
        main = axes @ seen
        first, second, widths = pairs_of(len(main))
        total: Vector = seen @ single
        return total + ((main[first] * main[second] * widths) @ pairs) * self.scales

    def same(self, other: "Encoded") -> bool:
        """Return whether two models give nearly equal scores. Directions may differ slightly between processors."""
        if self.axes.shape != other.axes.shape or self.single.shape != other.single.shape:
            return False
        drawn = np.random.default_rng(0).standard_normal((50, len(self.mean)), dtype=np.float32)
        texts = drawn / np.maximum(self.widths, 1e-3) + self.mean
        mine, theirs = (np.stack([model.scores(text) for text in texts]) for model in (self, other))
        return bool(np.allclose(mine, theirs, atol=0.05))


@loaded_once
def _convert_to_float32(heads: Encoded) -> tuple[Vector, Vector, Vector]:
    return heads.axes.astype(np.float32), heads.single.astype(np.float32), heads.pairs.astype(np.float32)


def scaled(features: Vector, mean: Vector, widths: Vector) -> Vector:
    """Center and scale features, then normalize them to unit length. A zero marks an unknown feature and stays zero."""
    seen = np.where(features == 0.0, np.float32(0.0), (features - mean) * widths)
    made: Vector = (seen / np.maximum(np.linalg.norm(seen, axis=-1, keepdims=True), 1e-9)).astype(np.float32)
    return made


@loaded_once
def pairs_of(dimension: int) -> tuple[NDArray[np.intp], NDArray[np.intp], Vector]:
    """Return the index pairs of the vector components to multiply, and the weight of each product.

    With these weights, the dot product of two vectors of products is the squared dot product of the original vectors.
    """
    first, second = np.triu_indices(dimension)
    return first, second, np.where(first == second, 1.0, 2.0**0.5).astype(np.float32)


_ENCODED = tuple(field.name for field in fields(Encoded))


class Features(NamedTuple):
    """The features of a text as a sparse vector. `slots` contains the hash table index of each entry in `values`."""

    slots: NDArray[np.int64]
    values: NDArray[np.float32]


class Heads(NamedTuple):
    """Linear heads, one per column. `words` times `scales` weights the hashed features. `vector` weights the embedding."""

    words: NDArray[np.int8]
    scales: NDArray[np.float32]
    vector: NDArray[np.float16]

    @classmethod
    def of(cls, words: NDArray[np.float64], vector: NDArray[np.float64]) -> Self:
        """Quantize fitted weights. Each word weight then takes one byte."""
        scales = np.abs(words).max(axis=0) / 127.0
        return cls(np.rint(words / scales).astype(np.int8), scales.astype(np.float32), vector.astype(np.float16))

    def scores(self, text: str, vector: Vector | None) -> Vector:
        """Return one score per head, roughly from -1 (no) to 1 (yes). `vector` is the embedding of the text, or None."""
        seen = features(text)
        total: Vector = (seen.values @ self.words[seen.slots].astype(np.float32)) * self.scales
        if vector is not None:
            total = total + vector @ self.vector.astype(np.float32)
        return total

    def same(self, other: "Heads") -> bool:
        """Return whether two sets of heads are equal except for rounding differences between processors.

        Weights have 127 steps, and a difference of two is tolerated. One more training statement makes a difference of seven.
        """
        if self.words.shape != other.words.shape:
            return False
        difference = np.abs(self.words.astype(np.int16) - other.words).max()
        return bool(difference <= 2 and np.allclose(self.vector, other.vector, atol=0.01))


class Label(NamedTuple):
    """The type and category of a statement."""

    statement_type: StatementType
    category: Category


class Tuning(NamedTuple):
    """The values, other than the weights, that training chooses."""

    temperature: float
    keep_threshold: float
    confidence_slope: float
    confidence_offset: float


class Model(NamedTuple):
    """A model for statements, with one head per label, one for worthiness, and one per importance step (2 to 5)."""

    labels: tuple[Label, ...]
    heads: Heads
    tuning: Tuning
    encoded: Encoded | None = None
    """The heads for features from sentence encoders, or None for a model without these."""
    rarity: tuple[float, ...] = ()
    """The offsets for the scores of the labels. Without them, rare labels would be chosen too rarely."""

    def scores(self, text: str, vector: Vector | None, encoded: Vector | None = None) -> Vector:
        """Return the score of each head. Only a model that was trained with encoder features uses `encoded`."""
        logits = self.heads.scores(text, vector)
        if self.encoded is not None and encoded is not None:
            logits = logits + self.encoded.scores(encoded)
        logits[: len(self.rarity)] += np.array(self.rarity, dtype=np.float32)
        return logits

    def save(self, path: Path) -> None:
        """Write the model to a file. Equal models give identical bytes."""
        about = {"labels": self.labels, "tuning": self.tuning, "rarity": self.rarity}
        more = {} if self.encoded is None else {f"encoded_{name}": getattr(self.encoded, name) for name in _ENCODED}
        np.savez_compressed(path, **self.heads._asdict(), **more, about=np.array(json.dumps(about)))


def load(path: Path) -> Model:
    """Load a model from a file written by `save`. Raises ValueError if it was trained on different features."""
    with np.load(path) as stored:
        about: dict[str, Any] = json.loads(str(stored["about"]))
        model = Model(
            labels=tuple(Label(*label) for label in about["labels"]),
            heads=Heads(stored["words"], stored["scales"], stored["vector"]),
            tuning=Tuning(*about["tuning"]),
            encoded=Encoded(*(stored[f"encoded_{name}"] for name in _ENCODED)) if "encoded_single" in stored else None,
            rarity=tuple(about["rarity"]),
        )
    shape = model.heads.words.shape
    if shape != (SLOTS, len(model.labels) + 1 + len(IMPORTANCE_STEPS)):
        raise ValueError(f"{path.name}: the table of weights is {shape}: train the model again")
    return model


@loaded_once
def shipped(name: str = "classifier.npz") -> Model:
    """Return the packaged model in the file `name`, which is loaded once per process."""
    return load(DATA / name)


class KindsModel(NamedTuple):
    """A model for clauses with one head per kind. Scores are divided by `temperature` before they become probabilities."""

    heads: Heads
    temperature: float

    def shares(self, text: str, vector: Vector | None) -> Shares:
        """Return the probabilities of the kinds, which add up to 1. `vector` is the average of the word vectors, or None."""
        scores = self.heads.scores(text, vector)
        grown = np.exp((scores - scores.max()) / self.temperature)
        return dict(zip(KINDS, (grown / grown.sum()).tolist(), strict=True))

    def save(self, path: Path) -> None:
        """Write the model to a file. Equal models give identical bytes."""
        about = {"temperature": self.temperature, "kinds": KINDS}
        np.savez_compressed(path, **self.heads._asdict(), about=np.array(json.dumps(about)))


def load_kinds(path: Path) -> KindsModel:
    """Load a model from a file written by `save`. Raises ValueError if it was trained on different features or kinds."""
    with np.load(path) as stored:
        about = json.loads(str(stored["about"]))
        heads = Heads(stored["words"], stored["scales"], stored["vector"])
    if heads.words.shape != (SLOTS, len(KINDS)) or tuple(about["kinds"]) != KINDS:
        raise ValueError(f"{path.name}: made for other features or kinds: train the model again")
    return KindsModel(heads, about["temperature"])


@loaded_once
def shipped_kinds() -> KindsModel:
    """Return the packaged model for clauses, which is loaded once per process."""
    return load_kinds(DATA / "kinds.npz")


@functools.lru_cache(maxsize=64)  # because two models judge each clause, and rules mode judges a message's clauses twice
def features(text: str) -> Features:
    """Return a text's features, which callers must not modify. A text has the same slots on every machine."""
    slots: list[int] = []
    values: list[float] = []
    for family, names in _extract_features_by_family(text).items():
        if names:
            slots += [crc32(f"{family}:{feature}".encode()) % SLOTS for feature in names]
            values += [_WIDTHS[family] / len(names) ** 0.5] * len(names)
    return Features(np.array(slots, dtype=np.int64), np.array(values, dtype=np.float32))


def _extract_features_by_family(text: str) -> _Families:
    plain = normal(text)
    tagged = [tag(sentence) for sentence in sentences(plain)]
    features: _Families = {name: {} for name in _SHARES}
    for number, sentence in enumerate(tagged):
        _add_word_features(features, sentence)
        _add_cue_features(features, list(dict.fromkeys(name for names in sentence.classes for name in names)))
        _add_opening_features(features, sentence, first=number == 0)
    _add_cue_features(features, unspaced_classes(text))
    features["form"].update(dict.fromkeys(_iterate_form_features(text, plain, tagged)))
    return features


def _add_word_features(features: _Families, sentence: Tagged) -> None:
    """Add the words and letter n-grams of a sentence, and the runs of its words and of its skeleton."""
    framed = ["^", *sentence.words, "$"]
    features["word"].update(dict.fromkeys(framed))
    features["word pair"].update(dict.fromkeys(_join_ngrams(framed, 2)))
    bones = ["^", *sentence.skeleton, "$"]
    features["skeleton pair"].update(dict.fromkeys(_join_ngrams(bones, 2)))
    features["skeleton triple"].update(dict.fromkeys(_join_ngrams(bones, 3)))
    features["skeleton gap"].update(dict.fromkeys(f"{left} {right}" for left, right in zip(bones, bones[2:], strict=False)))
    for word in sentence.words:
        if CJK.search(word):
            features["letters"].update(dict.fromkeys(_split_letter_ngrams(word, (1, 2, 3))))
        elif word[0].isalnum():
            features["letters"].update(dict.fromkeys(_split_letter_ngrams(f" {word} ", (3, 4, 5))))


def _add_cue_features(features: _Families, names: list[str]) -> None:
    features["cue"].update(dict.fromkeys(names))
    pairs = (f"{left} {right}" for place, left in enumerate(names) for right in names[place + 1 :])
    features["cue pair"].update(dict.fromkeys(pairs))


def _add_opening_features(features: _Families, sentence: Tagged, *, first: bool) -> None:
    families = [("sentence opening", range(1, 4), range(2, 5))]
    families += [("text opening", range(1, 3), range(1, 4))] if first else []
    for family, word_counts, bone_counts in families:
        for kind, row, sizes in (("=", sentence.words, word_counts), ("~", sentence.skeleton, bone_counts)):
            features[family].update(dict.fromkeys(f"{size}{kind}{' '.join(row[:size])}" for size in sizes))


def _iterate_form_features(text: str, plain: str, tagged: list[Tagged]) -> Iterator[str]:
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


def _join_ngrams(row: list[str], size: int) -> Iterator[str]:
    return (" ".join(row[place : place + size]) for place in range(len(row) - size + 1))


def _split_letter_ngrams(word: str, sizes: tuple[int, ...]) -> Iterator[str]:
    return (word[place : place + size] for size in sizes for place in range(len(word) - size + 1))
