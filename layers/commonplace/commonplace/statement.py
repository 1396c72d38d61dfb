"""Reading a statement by rules: what the engine makes of a text when nobody says what it is."""

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial

from commonplace.classifier import Classification, classify
from commonplace.ports import Embedder, Vector
from commonplace.tagging import concepts_of, consolidate, tags_of
from commonplace.taxonomy import MemoryType, memory_type
from commonplace.third_person import to_third_person

MAX_TAGS = 8


@dataclass(frozen=True)
class Statement:
    """A text with everything that can be told from its words.

    `vector`: by the static model; `renamed`: new tags replaced by the user's own.
    """

    text: str
    normalized: str
    vector: Vector | None
    classification: Classification
    tags: tuple[str, ...]
    concepts: tuple[str, ...]
    renamed: Mapping[str, str]

    @property
    def memory_type(self) -> MemoryType:
        """The record's type for it."""
        return memory_type(self.classification.statement_type, self.classification.category)


def read_statement(text: str, words: Embedder, own_tags: Mapping[str, int], speaker: str | None = None) -> Statement:
    """Reads one text. `own_tags`: the user's tags with counts; `speaker`: who said it, when it was not the user."""
    vector = words.embed(text)
    found = tags_of(text)
    renamed = consolidate(found, own_tags, partial(_cosine, words))
    return Statement(
        text=text,
        normalized=to_third_person(text, speaker),
        vector=vector,
        classification=classify(text, vector),
        tags=tidy_tags(renamed.get(tag, tag) for tag in found),
        concepts=tuple(concepts_of(text)),
        renamed=renamed,
    )


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags as they are kept: lower case, no spaces, each once, in order."""
    tidy = ("-".join(unicodedata.normalize("NFKC", tag).casefold().split()) for tag in tags)
    return tuple(dict.fromkeys(tag for tag in tidy if tag))


def _cosine(embedder: Embedder, first: str, second: str) -> float | None:
    one, other = embedder.embed(first), embedder.embed(second)
    return None if one is None or other is None else float(one @ other)
