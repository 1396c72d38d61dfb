"""Secrets in rows and lines below a header that tells: a column "password", "recovery codes:" and three lines."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from commonplace.text.foundation.characters import LETTERS
from commonplace.text.redaction.phrases import is_remark
from commonplace.text.redaction.values import is_blank, is_branded, is_mixed, tokens
from commonplace.text.redaction.view import HIDDEN, Span, View
from commonplace.text.redaction.vocabulary import Noun, words

_LINE = re.compile(r"[^\n]+")
_SEPARATORS = ("|", "\t", ";", ",")
_RULE = re.compile(r"[\s|:+=-]+")
_BULLET = re.compile(r"\s{0,9}(?:[-*•+]|\d{1,2}[.)])?\s{0,9}")
_HEAD_END = re.compile(r"[:：]\s*$")
_FIGURES = re.compile(r"[#*]?\d(?:[ -]?\d){3,11}[#*]?")
_LONGEST_HEADER, _MOST_REST, _LONGEST_LABEL, _LEAST = 80, 2, 5, 4


class _Line(NamedTuple):
    start: int
    end: int
    text: str


def find_tables(view: View, named: Sequence[Noun]) -> Iterator[Span]:
    """Spans of the cells below a header that names a secret, and of what stands in the lines below one."""
    if not named or "\n" not in view.text:
        return
    lines = [_Line(*found.span(), found[0]) for found in _LINE.finditer(view.text)]
    at = 0
    for place, line in enumerate(lines[:-1]):
        inside: list[Noun] = []
        while at < len(named) and named[at].start < line.end:
            inside += [named[at]] if named[at].start >= line.start else []
            at += 1
        if not inside or HIDDEN in line.text:
            continue
        below = lines[place + 1 :]
        yield from _cells(view, line, inside, below)
        if _HEAD_END.search(line.text) and len(line.text) <= _LONGEST_HEADER:
            yield from _listed(view, line, inside[-1], below)


def _cells(view: View, header: _Line, named: Sequence[Noun], below: Sequence[_Line]) -> Iterator[Span]:
    separator = next((sign for sign in _SEPARATORS if sign in header.text), None)
    if separator is None:
        return
    columns = dict(_columns(view, header, named, separator))
    many = header.text.count(separator)
    for row in below if columns else ():
        if row.text.count(separator) != many:
            return
        if _RULE.fullmatch(row.text):
            continue
        places = _places(row, separator)
        for column, noun in columns.items():
            start, end = places[column]
            if _may_be_value(view.text[start:end]):
                yield Span(start, end, noun.kind)


def _places(row: _Line, separator: str) -> list[tuple[int, int]]:
    """Where the cells of a row stand, without blanks and quotation marks around them."""
    found, at = [], row.start
    for cell in row.text.split(separator):
        bare = cell.strip(" \t\"'`")
        start = at + (cell.index(bare) if bare else 0)
        found.append((start, start + len(bare)))
        at += len(cell) + 1
    return found


def _columns(view: View, header: _Line, named: Sequence[Noun], separator: str) -> Iterator[tuple[int, Noun]]:
    for column, (start, end) in enumerate(_places(header, separator)):
        noun = next((one for one in named if start <= one.start and one.end <= end), None)
        if noun is None:
            continue
        rest = LETTERS.findall(view.folded[start : noun.start]) + LETTERS.findall(view.folded[noun.end : end])
        own = words("own", "of", "services", "accounts", "places", "new", "dull")
        if len(rest) <= _MOST_REST and all(word in own for word in rest) and noun.name != "bare_key":
            yield column, noun


def _may_be_value(text: str) -> bool:
    if len(text) < _LEAST or " " in text or HIDDEN in text or is_blank(text):
        return False
    return not (is_remark(text.lower()) or text.lower() in words("evasive", "function", "unit"))


def _listed(view: View, header: _Line, noun: Noun, below: Sequence[_Line]) -> Iterator[Span]:
    following = tokens(view, noun.end, 1, header.end)
    if (following and following[0].word in words("compound")) or noun.name == "bare_key":
        return
    before = header
    for line in below:
        blank = view.text[before.end : line.start].count("\n") > 1
        value = None if blank and before is not header else _value_of(view, line, noun)
        if value is None:
            return
        yield Span(*value, noun.kind)
        before = line


def _value_of(view: View, line: _Line, noun: Noun) -> tuple[int, int] | None:
    """What a line below a header has to tell: the whole of it, or its end, behind a label."""
    bullet = _BULLET.match(view.text, line.start, line.end)
    start = bullet.end() if bullet else line.start
    parts = tokens(view, start, _LONGEST_LABEL + 2, line.end)
    if not parts or len(parts) > _LONGEST_LABEL:
        return None
    figures = _FIGURES.search(view.text, start, line.end)
    if figures and view.text[figures.end() : line.end].strip(" .;,") == "" and noun.name not in ("token", "private_key"):
        return figures.span()
    last = parts[-1]
    if noun.value == "digits" or HIDDEN in last.text or is_branded(last.text):
        return None
    return (last.start, last.end) if is_mixed(last.text) and len(last.text) >= _LEAST else None
