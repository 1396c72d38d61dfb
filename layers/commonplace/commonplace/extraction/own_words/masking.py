"""Hide the known foreign text in a message from the finders, and load the wordings that announce foreign text."""

import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from typing import NamedTuple

from commonplace.text.foundation.expressions import table_of

HIDDEN = "\ue000"
"""The private-use character that replaces each foreign character. It is neither part of a word nor a blank."""

_VISIBLE = re.compile(f"[^{HIDDEN}]+")
# Characters that may remain at the end of a sentence after the foreign text there is hidden.
_STOPS = " \t\r\n\v\f\x1c\x1d\x1e\x1f\x85\u2028\u2029.,;:!?…)。、！？）"
_BLANK_LINES = re.compile(r"\n[^\S\n]*\n\s*")
_SLOT = re.compile(r"\{([a-z_]+)\}")


class TextSpan(NamedTuple):
    """A half-open range of characters."""

    start: int
    end: int


class TextLine(NamedTuple):
    """A line without its line break."""

    start: int
    end: int
    text: str


def lines_of(view: str) -> list[TextLine]:
    """Return the lines in order, including blank lines."""
    lines, at = [], 0
    for text in view.split("\n"):
        lines.append(TextLine(at, at + len(text), text))
        at += len(text) + 1
    return lines


def paragraphs_of(view: str) -> list[TextSpan]:
    """Return the paragraphs between blank lines, in order."""
    spans, at = [], 0
    for gap in _BLANK_LINES.finditer(view):
        spans.append(TextSpan(at, gap.start()))
        at = gap.end()
    return [*spans, TextSpan(at, len(view))]


def with_hidden(view: str, spans: Iterable[TextSpan]) -> str:
    """Hide the spans in a view, except for their line breaks. The spans may overlap."""
    parts, at = [], 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        parts += [view[at:start], "\n".join(HIDDEN * len(piece) for piece in view[start:end].split("\n"))]
        at = end
    return "".join([*parts, view[at:]])


def visible_spans(view: str) -> Iterator[TextSpan]:
    """Yield the visible ranges that contain letters or digits, without surrounding blanks and leading stops."""
    for match in _VISIBLE.finditer(view):
        text = match[0]
        if any(map(str.isalnum, text)):
            begins = text.lstrip(_STOPS if match.start() else None).lstrip()
            yield TextSpan(match.end() - len(begins), match.start() + len(text.rstrip()))


cues = partial(table_of, __package__, "cues.toml")
"""Return the wordings by language. The entry `any` applies to all languages."""


@cache
def cue_pattern(name: str) -> re.Pattern[str]:
    """Return one case-insensitive pattern for all wordings called `name` in `cues.toml`, in all languages."""
    shared = cues()["any"]["words"]
    wordings = [_fill_slots(wording, shared | row["words"]) for row in cues().values() for wording in row.get(name, [])]
    return re.compile("|".join(f"(?:{wording})" for wording in wordings), re.IGNORECASE | re.MULTILINE)


def _fill_slots(wording: str, words: dict[str, str]) -> str:
    return _SLOT.sub(lambda slot: f"(?:{words[slot[1]]})", wording)
