"""Enrich a text with labels derived from it, and embed texts in advance, in batches."""

import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

from commonplace.domain.taxonomy import MemoryType, memory_type
from commonplace.ports.models import Embedder
from commonplace.ports.values import Vector
from commonplace.text.classifier.classification import Classification, classify
from commonplace.text.tagging import tags_of
from commonplace.text.tagging.names import standard
from commonplace.text.tagging.phrases import concepts_of
from commonplace.text.tagging.synonyms import consolidate
from commonplace.text.third_person import to_third_person

MAX_TAGS = 8


@dataclass(frozen=True, eq=False)
class PrecomputedEmbedder:
    """An embedder that has precomputed the vectors of some texts."""

    embedder: Embedder
    vectors: Mapping[str, Vector | None]

    @classmethod
    def of(cls, texts: Iterable[str], embedder: Embedder) -> "PrecomputedEmbedder":
        """Create an embedder that computes the vectors of `texts` in one batch."""
        distinct = list(dict.fromkeys(texts))
        return cls(embedder, dict(zip(distinct, embedder.embed_all(distinct), strict=True)))

    @property
    def name(self) -> str:
        return self.embedder.name

    def embed(self, text: str) -> Vector | None:
        return self.vectors[text] if text in self.vectors else self.embedder.embed(text)

    def features(self, text: str) -> Vector | None:
        return self.embedder.features(text)

    def embed_question(self, text: str) -> Vector | None:
        return self.embedder.embed_question(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]


@dataclass(frozen=True)
class EnrichedStatement:
    """A text with derived labels. `renamed` maps tags to the standard tags or the user's own tags that replaced them."""

    text: str
    normalized: str
    vector: Vector | None
    classification: Classification
    tags: tuple[str, ...]
    concepts: tuple[str, ...]
    renamed: Mapping[str, str]

    @property
    def memory_type(self) -> MemoryType:
        return memory_type(self.classification.statement_type, self.classification.category)


def enrich(
    text: str, words: Embedder, embedder: Embedder, own_tags: Mapping[str, int], speaker: str | None = None
) -> EnrichedStatement:
    """Derive labels from a text, using the word averages from `words` and the features from `embedder`, and embed the text.

    `own_tags` maps the user's tags to their counts. `speaker` is None if the user is the speaker.
    """
    known = words.embed(text)
    vector = known if embedder is words else embedder.embed(text)
    tags = tags_of(text)
    renamed = consolidate(tags, own_tags, partial(_compute_tag_cosine, words))
    return EnrichedStatement(
        text=text,
        normalized=to_third_person(text, speaker),
        vector=vector,
        classification=classify(text, known, embedder.features(text)),
        tags=tidy_tags(renamed.get(tag, tag) for tag in tags),
        concepts=tuple(concepts_of(text)),
        renamed=renamed,
    )


def tidy_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Return the distinct tags in order, in lower case, without spaces, and with abbreviations such as `js` expanded."""
    tidy = (standard("-".join(unicodedata.normalize("NFKC", tag).casefold().split())) for tag in tags)
    return tuple(dict.fromkeys(tag for tag in tidy if tag))


def _compute_tag_cosine(embedder: Embedder, first: str, second: str) -> float | None:
    vector, other = (embedder.embed(tag.replace("-", " ")) for tag in (first, second))
    return None if vector is None or other is None else float(vector @ other)
