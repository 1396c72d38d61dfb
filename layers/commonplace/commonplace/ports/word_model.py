"""The port of the static model, which tells how its tokenizer splits a text."""

from typing import Protocol

from commonplace.ports.embedder import Embedder


class WordModel(Embedder, Protocol):
    """The static model, which also tells how its tokenizer splits a text."""

    def pieces(self, text: str) -> int:
        """How many word pieces the text has; a word that the vocabulary doesn't know is one."""
