"""The features of one text of a pair: words, numbers, people, names, times, and cues like negation or plans."""

import functools
import re
from typing import NamedTuple

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.expressions import Expressions
from commonplace.text.foundation.languages import language_of
from commonplace.text.foundation.numbers import every_number

_expressions = Expressions(__package__)
_UNSPACED = re.compile(r"[\u3040-\u30ff\u4e00-\u9fff]")
_LETTERS = re.compile(r"[^\W\d_]+")
_WORDS = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_CONTENT_CHARACTERS = re.compile(r"[\u30a1-\u30fa\u4e00-\u9fff]")
_SHORTEST_NUMBER = 3
_GERMAN = "de"
_ELIDED = re.compile("['’]")
_CUES = (
    "negated", "besides", "by_now", "changed", "own", "object", "past", "planned", "passing", "ended", "starts_own",
)  # fmt: skip


class Side(NamedTuple):
    """The features of one text.

    `opening` is its first word, or character in an unspaced script. `content` has the content words or characters in order.
    `people` are kinds of relatives and friends. `times` are weekdays, months, and am or pm. `own` means that it mentions the
    user's own things. `object` means that something is done to the user.
    """

    words: tuple[str, ...]
    opening: str
    content: tuple[str, ...]
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
    """Read the features of a text."""
    low = text.lower()
    unspaced = _UNSPACED.search(low) is not None
    found = () if language_of(text) == _GERMAN else _expressions.compiled("pairs.name").findall(text)
    names = (name.casefold() for name in found)  # in German every noun has a capital
    halves_of_day = _expressions.compiled("pairs.half_of_day").findall(low)
    return Side(
        words=tuple(tokenizer.words(text)),
        opening=(low.strip()[:1] if unspaced else next(iter(_LETTERS.findall(low)), "")),
        content=tuple(_CONTENT_CHARACTERS.findall(text) if unspaced else tokenizer.terms(_ELIDED.sub(" ", text))),
        stems=frozenset(tokenizer.terms(text)),
        numbers=_find_numbers(low),
        people=_find_people(low),
        names=frozenset(name for name in names if not is_calendar_word(name)),
        times=frozenset((*filter(is_calendar_word, _LETTERS.findall(low)), *halves_of_day)),
        stressed="!" in text,
        **{name: bool(_find_cue(name, low)) for name in _CUES},
    )


def _find_cue(name: str, low: str) -> re.Match[str] | None:
    return _expressions.compiled(f"pairs.{name}").search(low)


def _find_numbers(low: str) -> frozenset[str]:
    figures = (figure.replace(",", "").lstrip("0") or "0" for figure in _expressions.compiled("pairs.figure").findall(low))
    whole = {f"{figure[:-1]}000" if figure.endswith("k") else figure for figure in figures}
    words = (word for word in _WORDS.findall(low) if len(word) >= _SHORTEST_NUMBER)
    return frozenset(whole) | {str(value) for word in words for value in _read_number(word) if value > 1}


def _read_number(word: str) -> list[int]:
    """Return the possible values of a number word. A compound ("thirty-four") is the sum of its parts."""
    if word in every_number():
        return list(every_number()[word])
    parts = [every_number().get(part, ()) for part in word.split("-")]
    if len(parts) > 1 and all(parts):
        return [sum(max(values) for values in parts)]
    return [value for values in parts for value in values]


def _find_people(low: str) -> frozenset[str]:
    """Return the kinds of people that a text mentions. Each is named by the first word of its row."""
    words = set(re.findall(r"[\w-]+", low))
    unspaced = _UNSPACED.search(low) is not None

    def is_mentioned(word: str) -> bool:
        return word in words or (unspaced and _UNSPACED.match(word) is not None and word in low)

    return frozenset(row[0] for row in _list_relatives() if any(map(is_mentioned, row)))


@functools.cache
def _list_relatives() -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(row.split()) for row in _expressions.expression("pairs.people").split(";"))
