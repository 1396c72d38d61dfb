"""Build the view of a text that the finders search, with secrets hidden and without invisible or wide characters."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from commonplace.text.foundation.characters import LETTERS, bare_in_place

HIDDEN = "\ue000"
"""The character that replaces a redacted range in a view. A private-use character is never a word or a space."""

PLACEHOLDER = re.compile(r"\[redacted:[a-z_]{1,40}\]")
_INVISIBLE = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_UNUSUAL = re.compile(f"[{_INVISIBLE}{HIDDEN}]")
# Combining marks are composed with the preceding letter. Otherwise, "n" and its tilde would remain two characters.
_RUN = re.compile(r"\n|\S{1,200}")
_LONGEST_LIGATURE = 4
# Letters that look like Latin letters, for words that mix alphabets, like "pаssword" with a Cyrillic "а".
_LOOKS_LIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХЗаеѕіјорсухкмнтвһԁԛԝɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧαορνικτυ", "ABESIJKMHOPCTYX3aesijopcyxkmhtbhdqwgABEZHIKMNOPTYXaopviktu"
)
_OTHER_ALPHABET = re.compile("[\u0370-\u052fɡ]")
_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")
_MARK = r"[\u0300-\u036f\u3099\u309a\uff9e\uff9f]"
_CLUSTER = re.compile(rf"[\x00-\x7f]+(?!{_MARK})|[\s\S]{_MARK}*")


class Span(NamedTuple):
    """A half-open range of characters, with the kind of secret in the range."""

    start: int
    end: int
    kind: str


class Run(NamedTuple):
    """A run of up to 200 characters without spaces."""

    start: int
    end: int
    first_of_line: bool


@dataclass(frozen=True)
class View:
    """A text in the form that the finders search. `folded` is the text in lower case without accents, with equal length.

    `offsets` maps each position to the original text. `made` caches the tokens of the runs.
    """

    text: str
    folded: str
    offsets: Sequence[int]
    made: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def runs(self) -> list[Run]:
        """The runs of characters without spaces, in order."""
        runs, first = [], False
        for match in _RUN.finditer(self.text):
            if match[0] == "\n":
                first = True
            else:
                runs.append(Run(match.start(), match.end(), first))
                first = False
        return runs

    @cached_property
    def run_ends(self) -> list[int]:
        """The ends of the runs, for finding a run by its position."""
        return [run.end for run in self.runs]

    def original(self, span: Span) -> Span:
        """Return the span in the original text, including invisible characters inside it."""
        start, end, last = self.offsets[span.start], span.end, self.offsets[span.end - 1]
        # An original character, such as a ligature, may be several here. The span ends where the next original begins.
        while self.offsets[end] == last:
            end += 1
        return Span(start, self.offsets[end], span.kind)


def placeholders(text: str) -> list[tuple[int, int]]:
    """Return the spans of placeholders from an earlier redaction."""
    return [match.span() for match in PLACEHOLDER.finditer(text)] if "[redacted:" in text else []


def view_of(text: str, hidden: Sequence[tuple[int, int]] = ()) -> View:
    """Return the view of a text. Each of the `hidden` ranges (sorted and disjoint) becomes one `HIDDEN` character."""
    plain = text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _UNUSUAL.search(text))
    if plain and not hidden:
        latin = _replace_lookalikes(text)
        return View(latin, bare_in_place(latin), range(len(text) + 1))
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for start, end in (*hidden, (len(text), len(text))):
        for piece, places in [(text[at:start], range(at, start))] if plain else _compose_clusters(text, at, start):
            parts.append(piece)
            offsets.extend(places)
        if end > start:
            parts.append(HIDDEN)
            offsets.append(start)
        at = end
    offsets.append(len(text))
    joined = _replace_lookalikes("".join(parts))
    return View(joined, bare_in_place(joined), offsets)


def _replace_lookalikes(text: str) -> str:
    """Replace letters that look like Latin letters in words that also have Latin letters. The length stays the same."""
    if text.isascii() or not _OTHER_ALPHABET.search(text):
        return text
    return LETTERS.sub(lambda word: word[0].translate(_LOOKS_LIKE) if _LATIN.search(word[0]) else word[0], text)


def _compose_clusters(text: str, start: int, end: int) -> Iterator[tuple[str, Sequence[int]]]:
    """Yield each character cluster in NFKC with its original positions. Invisible characters are dropped."""
    for match in _CLUSTER.finditer(text, start, end):
        cluster = match[0]
        if cluster.isascii():
            yield cluster, range(*match.span())
        elif not _UNUSUAL.match(cluster):
            composed = unicodedata.normalize("NFKC", cluster)
            # Some Arabic ligatures stand for eighteen letters. They are kept, because nobody writes a secret with them.
            composed = composed if len(composed) <= _LONGEST_LIGATURE * len(cluster) else cluster
            yield composed, [match.start()] * len(composed)


def merged(spans: Sequence[Span]) -> list[Span]:
    """Return the spans in text order. Overlapping spans are joined and get the kind of the one that is first in `spans`."""
    rank = {span: place for place, span in reversed(list(enumerate(spans)))}
    out: list[Span] = []
    for span in sorted(spans):
        if out and span.start < out[-1].end:
            first = min(out[-1], span, key=lambda candidate: rank.get(candidate, len(rank)))
            joined = Span(out[-1].start, max(out[-1].end, span.end), first.kind)
            rank[joined] = rank.get(first, len(rank))
            out[-1] = joined
        else:
            out.append(span)
    return out
