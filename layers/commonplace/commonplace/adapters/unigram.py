"""The pieces of a text by a unigram model of SentencePiece (Kudo 2018): the likeliest way to cut each word."""

import functools
import unicodedata
from collections.abc import Mapping, Sequence

SPACE = "\u2581"
_UNKNOWN_COST = 10.0  # of a character that is no piece, below the least likely piece, as in SentencePiece


class Unigram:
    """A vocabulary of pieces with their log probabilities. `unknown`: the id of what no piece covers."""

    def __init__(self, pieces: Sequence[str], scores: Sequence[float], unknown: int) -> None:
        self._ids: Mapping[str, int] = dict(zip(pieces, range(len(pieces)), strict=True))
        self._scores, self._unknown = scores, unknown
        self._longest = max(map(len, pieces))
        self._least = min(scores) - _UNKNOWN_COST
        self._cut = functools.lru_cache(maxsize=4096)(self._best_cut)

    def ids(self, text: str) -> list[int]:
        """The ids of its pieces; a run of characters that no piece covers is one `unknown`."""
        found: list[int] = []
        for word in _words(text):
            for number in self._cut(word):
                if number != self._unknown or not found or found[-1] != number:
                    found.append(number)
        return found

    def _best_cut(self, word: str) -> tuple[int, ...]:
        """Viterbi over the ends of pieces."""
        best = [0.0] + [float("-inf")] * len(word)
        came_from: list[tuple[int, int]] = [(0, 0)] * (len(word) + 1)
        for start in range(len(word)):
            for end in range(start + 1, min(len(word), start + self._longest) + 1):
                number = self._ids.get(word[start:end])
                if number is None and end > start + 1:
                    continue
                score = best[start] + (self._least if number is None else self._scores[number])
                if score > best[end]:
                    best[end], came_from[end] = score, (start, self._unknown if number is None else number)
        cut: list[int] = []
        at = len(word)
        while at:
            at, number = came_from[at]
            cut.append(number)
        return tuple(reversed(cut))


def _words(text: str) -> list[str]:
    """The words of a text in the form that the pieces have: composed, each behind the mark of a space."""
    composed = "".join(_character(char) for char in unicodedata.normalize("NFKC", text))
    return [SPACE + word for word in composed.replace(SPACE, " ").split()]


@functools.lru_cache(maxsize=8192)
def _character(char: str) -> str:
    if char.isspace():
        return " "
    return "" if unicodedata.category(char) in ("Cc", "Cf") else char
