"""Read the names and numbers of months and weekdays in every language that has a row in `calendar.toml`."""

from collections.abc import Mapping
from functools import cache
from typing import Any, NamedTuple

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.expressions import table_of

_IN_TIMES = "in_times"
LANGUAGES_IN_TIMES = ("en", "de", "fr", "es", "ja")
"""The languages in which time ranges are read. Their rows in `calendar.toml` contain every spelling."""
Names = Mapping[str, int]


class Calendar(NamedTuple):
    """The names of months and weekdays in lower case, with their numbers. January is 1, and Monday is 0."""

    months: Names
    short_months: Names
    weekdays: Names
    short_weekdays: Names


@cache
def calendars() -> Mapping[str, Calendar]:
    """Map language codes to calendars. For months and full weekdays, only the usual spelling is included."""
    return {code: _build_calendar(row, usual=True) for code, row in _load_rows().items()}


@cache
def calendar_in_times(code: str) -> Calendar:
    """Return the calendar of a language with every spelling. Raises KeyError for an unknown language."""
    row = _load_rows()[code]
    return _build_calendar({**row, **row.get(_IN_TIMES, {})}, usual=False)


def _build_calendar(row: Mapping[str, Any], *, usual: bool) -> Calendar:
    return Calendar(
        _number_names(row.get("months", ""), first=1, usual=usual),
        _number_names(row.get("short_months", ""), first=1, usual=usual),
        _number_names(row["weekdays"], first=0, usual=usual),
        _number_names(row.get("short_weekdays", ""), first=0, usual=False),
    )


def is_calendar_word(word: str) -> bool:
    """Return whether a token is the name of a month or weekday, or a word for "today" or "tomorrow"."""
    return not {word, word.removesuffix("s")}.isdisjoint(_list_calendar_words())


def is_weekday(word: str) -> bool:
    return not {word, word.removesuffix("s")}.isdisjoint(_list_weekday_words())


@cache
def month_names() -> tuple[str, ...]:
    """Return the names and abbreviations of months in every language of `LANGUAGES_IN_TIMES`."""
    return tuple(name for code in LANGUAGES_IN_TIMES for names in calendar_in_times(code)[:2] for name in names)


@cache
def _list_calendar_words() -> frozenset[str]:
    relative = str(table_of(__package__, "calendar.toml")["relative"]).split()
    return _list_weekday_words() | {word for name in (*month_names(), *relative) for word in tokenizer.words(name)}


@cache
def _list_weekday_words() -> frozenset[str]:
    names = (name for code in LANGUAGES_IN_TIMES for name in calendar_in_times(code).weekdays)
    return frozenset(word for name in names for word in tokenizer.words(name))


def _number_names(names: str, first: int, *, usual: bool) -> Names:
    """Map each name to its number, starting with `first`. If `usual` is true, only the first spelling is included."""
    spelled = ((number, place.split("|")) for number, place in enumerate(names.split(), first) if place != "-")
    return {name: number for number, spellings in spelled for name in (spellings[:1] if usual else spellings)}


def _load_rows() -> Mapping[str, Mapping[str, Any]]:
    return {code: row for code, row in table_of(__package__, "calendar.toml").items() if isinstance(row, dict)}
