"""Vectors of many texts, made at once for those who ask for them one by one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonplace.ports import Embedder, Vector


@dataclass(frozen=True)
class VectorsAtHand:
    """An embedder that has embedded some texts already."""

    embedder: Embedder
    vectors: Mapping[str, Vector | None]

    @classmethod
    def of(cls, texts: Sequence[str], embedder: Embedder) -> "VectorsAtHand":
        """With the vectors of these texts, each made once."""
        distinct = list(dict.fromkeys(texts))
        return cls(embedder, dict(zip(distinct, embedder.embed_all(distinct), strict=True)))

    @property
    def name(self) -> str:
        return self.embedder.name

    def embed(self, text: str) -> Vector | None:
        return self.vectors[text] if text in self.vectors else self.embedder.embed(text)

    def embed_all(self, texts: Sequence[str]) -> list[Vector | None]:
        return [self.embed(text) for text in texts]
