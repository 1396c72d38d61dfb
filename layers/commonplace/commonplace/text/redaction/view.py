"""The text as the finders see it: full width made plain, invisible characters gone, what is redacted already hidden."""

import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from commonplace.text.foundation.characters import LETTERS, bare_in_place

HIDDEN = "\ue000"
"""Stands in a view for one redacted stretch. A private-use character: never a word, never a blank."""

PLACEHOLDER = re.compile(r"\[redacted:[a-z_]{1,40}\]")
_INVISIBLE = "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
_UNUSUAL = re.compile(f"[{_INVISIBLE}{HIDDEN}]")
# A mark belongs to the letter before it: composed one by one, "n" and its tilde would stay two characters.
_RUN = re.compile(r"\n|\S{1,200}")
_LONGEST_LIGATURE = 4
# Letters of other alphabets that look like Latin ones, where a word mixes both: "pаssword" with a Cyrillic "а".
_LOOKS_LIKE = str.maketrans(
    "АВЕЅІЈКМНОРСТУХЗаеѕіјорсухкмнтвһԁԛԝɡΑΒΕΖΗΙΚΜΝΟΡΤΥΧαορνικτυ", "ABESIJKMHOPCTYX3aesijopcyxkmhtbhdqwgABEZHIKMNOPTYXaopviktu"
)
_OTHER_ALPHABET = re.compile("[\u0370-\u052fɡ]")
_LATIN = re.compile("[a-zA-Z\u00c0-\u024f]")
_MARK = r"[\u0300-\u036f\u3099\u309a\uff9e\uff9f]"
_CLUSTER = re.compile(rf"[\x00-\x7f]+(?!{_MARK})|[\s\S]{_MARK}*")


class Span(NamedTuple):
    """A half-open stretch of characters and the kind of secret in it."""

    start: int
    end: int
    kind: str


class Run(NamedTuple):
    """Characters between blanks, 200 at most."""

    start: int
    end: int
    first_of_line: bool


@dataclass(frozen=True)
class View:
    """`text` keeps case and marks, `folded` has neither; both have the same length, so spans fit either.

    `made` is where readers of the view keep what they make of its runs.
    """

    text: str
    folded: str
    offsets: Sequence[int]
    made: dict[int, Any] = field(default_factory=dict, repr=False, compare=False)

    @cached_property
    def runs(self) -> list[Run]:
        """The runs of characters without blanks, in order."""
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
        """Where the runs end, to find one by a place."""
        return [run.end for run in self.runs]

    def original(self, span: Span) -> Span:
        """The same stretch in the text that the view was made of, with the invisible characters inside it."""
        start, end, last = self.offsets[span.start], span.end, self.offsets[span.end - 1]
        # One original character may be several here (a ligature): the end is where the next one begins.
        while self.offsets[end] == last:
            end += 1
        return Span(start, self.offsets[end], span.kind)


def placeholders(text: str) -> list[tuple[int, int]]:
    """Where `text` has been redacted before."""
    return [match.span() for match in PLACEHOLDER.finditer(text)] if "[redacted:" in text else []


def view_of(text: str, hidden: Sequence[tuple[int, int]] = ()) -> View:
    """The view of `text` with the stretches `hidden` (sorted, apart from each other) as one `HIDDEN` each."""
    plain = text.isascii() or (unicodedata.is_normalized("NFKC", text) and not _UNUSUAL.search(text))
    if plain and not hidden:
        latin = _in_latin(text)
        return View(latin, bare_in_place(latin), range(len(text) + 1))
    parts: list[str] = []
    offsets: list[int] = []
    at = 0
    for start, end in (*hidden, (len(text), len(text))):
        for piece, places in [(text[at:start], range(at, start))] if plain else _plainly(text, at, start):
            parts.append(piece)
            offsets.extend(places)
        if end > start:
            parts.append(HIDDEN)
            offsets.append(start)
        at = end
    offsets.append(len(text))
    joined = _in_latin("".join(parts))
    return View(joined, bare_in_place(joined), offsets)


def _in_latin(text: str) -> str:
    """The text with Latin letters for those that only look like them; as long as it was."""
    if text.isascii() or not _OTHER_ALPHABET.search(text):
        return text
    return LETTERS.sub(lambda word: word[0].translate(_LOOKS_LIKE) if _LATIN.search(word[0]) else word[0], text)


def _plainly(text: str, start: int, end: int) -> Iterator[tuple[str, Sequence[int]]]:
    for match in _CLUSTER.finditer(text, start, end):
        cluster = match[0]
        if cluster.isascii():
            yield cluster, range(*match.span())
        elif not _UNUSUAL.match(cluster):
            composed = unicodedata.normalize("NFKC", cluster)
            # A ligature of a whole blessing is no way to write a secret, eighteen letters for one would only cost.
            composed = composed if len(composed) <= _LONGEST_LIGATURE * len(cluster) else cluster
            yield composed, [match.start()] * len(composed)


def merged(spans: Sequence[Span]) -> list[Span]:
    """`spans` in order of place; of those that overlap one remains, of the kind that was given first."""
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
