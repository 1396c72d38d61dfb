"""WordPiece tokenization, as in BERT."""

import functools
import unicodedata
from collections.abc import Iterator, Mapping

_LONGEST_WORD = 100
_HAN = ((0x4E00, 0x9FFF), (0x3400, 0x4DBF), (0x20000, 0x2A6DF), (0x2A700, 0x2CEAF), (0xF900, 0xFAFF), (0x2F800, 0x2FA1F))


def word_pieces(text: str, vocabulary: Mapping[str, int]) -> Iterator[tuple[str, list[int] | None]]:
    """Yield each word with the ids of its pieces. The ids are None if the vocabulary does not cover the word."""
    for word in _split_words(text):
        yield word, _find_pieces(word, vocabulary)


def _split_words(text: str) -> Iterator[str]:
    spaced = "".join(_separate_character(char) for char in text)
    lowered = unicodedata.normalize("NFD", spaced).lower()
    for chunk in lowered.split():
        word = ""
        for char in chunk:
            if unicodedata.category(char) == "Mn":
                continue
            if _is_punctuation(char):
                if word:
                    yield word
                yield char
                word = ""
            else:
                word += char
        if word:
            yield word


@functools.lru_cache(maxsize=8192)
def _separate_character(char: str) -> str:
    if char in "\t\n\r":
        return " "
    if char in "\x00\ufffd" or unicodedata.category(char) in ("Cc", "Cf", "Cn", "Co"):
        return ""
    if unicodedata.category(char) == "Zs":
        return " "
    return f" {char} " if any(first <= ord(char) <= last for first, last in _HAN) else char


@functools.lru_cache(maxsize=8192)
def _is_punctuation(char: str) -> bool:
    return unicodedata.category(char).startswith("P") or (char.isascii() and char.isprintable() and not char.isalnum())


def _find_pieces(word: str, vocabulary: Mapping[str, int]) -> list[int] | None:
    if len(word) > _LONGEST_WORD:
        return None
    pieces: list[int] = []
    start = 0
    while start < len(word):
        prefix = "##" if start else ""
        for end in range(len(word), start, -1):
            piece = vocabulary.get(prefix + word[start:end])
            if piece is not None:
                pieces.append(piece)
                start = end
                break
        else:
            return None
    return pieces
