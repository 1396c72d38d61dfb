"""One text of a pair, read: its words, numbers, people, names and times, and what it tells of them."""

import functools
import re
from collections.abc import Mapping
from typing import NamedTuple

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.expressions import Expressions
from commonplace.text.foundation.languages import language_of
from commonplace.text.foundation.numbers import every_number
from commonplace.text.paraphrase.language import PAST, readings

_expressions = Expressions(__package__)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_SIGNS = re.compile(r"[\u30a1-\u30fa\u4e00-\u9fff]")  # those that are no grammar
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_SHORTEST_NUMBER = 3
_GERMAN, _COPULA = "de", "be"
_ELIDED = re.compile("['’]")
_CUES = (
    "negated", "besides", "by_now", "changed", "own", "object", "past", "planned", "passing", "ended", "starts_own",
)  # fmt: skip


class Side(NamedTuple):
    """One text of a pair. Numbers, people, names and times (weekdays, months, am or pm) are those that it tells; `own`:
    it speaks of the user's own; `object`: something is done to the user; `opening`: its first word, or sign; `content`: its
    words, or signs, but for the small ones, in order; `tenses`: its verbs, True where one stands in the past.
    """

    words: tuple[str, ...]
    opening: str
    content: tuple[str, ...]
    tenses: Mapping[str, bool]
    stems: frozenset[str]
    numbers: frozenset[str]
    people: frozenset[str]
    names: frozenset[str]
    times: frozenset[str]
    negated: bool
    besides: bool
    by_now: bool
    changed: bool
    own: bool
    object: bool
    past: bool
    planned: bool
    passing: bool
    ended: bool
    starts_own: bool
    stressed: bool


@functools.lru_cache(maxsize=2048)
def side_of(text: str) -> Side:
    """Reads one text."""
    low = text.lower()
    unspaced = _UNSPACED.search(low) is not None
    found = () if language_of(text) == _GERMAN else _expressions.compiled("pairs.name").findall(text)
    names = (name.casefold() for name in found)  # in German every noun has a capital
    return Side(
        words=tuple(tokenizer.words(text)),
        opening=(low.strip()[:1] if unspaced else next(iter(_LETTERS.findall(low)), "")),
        content=tuple(_SIGNS.findall(text) if unspaced else tokenizer.terms(_ELIDED.sub(" ", text))),
        tenses=_tenses(low),
        stems=frozenset(tokenizer.terms(text)),
        numbers=_numbers(low),
        people=_people(low),
        names=frozenset(name for name in names if not is_calendar_word(name)),
        times=frozenset(word for word in _LETTERS.findall(low) if is_calendar_word(word)) | _halves_of_day(low),
        stressed="!" in text,
        **{name: bool(_found(name, low)) for name in _CUES},
    )


def _tenses(low: str) -> dict[str, bool]:
    """The verbs that a text may have by their base form, whether only in the past; a copula is none."""
    found: dict[str, set[str]] = {}
    for word in _LETTERS.findall(low):
        for base, form in readings(word):
            found.setdefault(base, set()).add(form)
    return {base: forms == {PAST} for base, forms in found.items() if base != _COPULA}


def _found(name: str, low: str) -> re.Match[str] | None:
    return _expressions.compiled(f"pairs.{name}").search(low)


def _numbers(low: str) -> frozenset[str]:
    figures = (figure.replace(",", "").lstrip("0") or "0" for figure in _expressions.compiled("pairs.figure").findall(low))
    whole = {f"{figure[:-1]}000" if figure.endswith("k") else figure for figure in figures}
    words = (word for word in _WORDS.findall(low) if len(word) >= _SHORTEST_NUMBER)
    return frozenset(whole) | {str(value) for word in words for value in _values(word) if value > 1}


def _values(word: str) -> list[int]:
    """The numbers that a word may mean; of a compound ("thirty-four") the sum of its parts."""
    if word in every_number():
        return list(every_number()[word])
    parts = [every_number().get(part, ()) for part in word.split("-")]
    if len(parts) > 1 and all(parts):
        return [sum(max(values) for values in parts)]
    return [value for values in parts for value in values]


def _halves_of_day(low: str) -> set[str]:
    return set(_expressions.compiled("pairs.half_of_day").findall(low))


def _people(low: str) -> frozenset[str]:
    told = set(re.findall(r"[\w-]+", low))
    unspaced = _UNSPACED.search(low) is not None
    return frozenset(
        row[0] for row in _rows() if any(word in told or (unspaced and _UNSPACED.match(word) and word in low) for word in row)
    )


@functools.cache
def _rows() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in _expressions.expression("pairs.people").split(";"))
