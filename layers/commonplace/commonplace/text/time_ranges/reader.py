"""Read the time range in a search query. A cheap check first finds the languages in which the query may mention a time."""

import re
from datetime import datetime
from functools import cache
from unicodedata import normalize

from commonplace.text.foundation.characters import LETTERS
from commonplace.text.time_ranges import TimeRange
from commonplace.text.time_ranges.language import LANGUAGES, phrases_of, vocabulary

# Matches a year or a date in figures.
FIGURES = r"(?<!\d)(?:(?:19|20)\d\d(?!\d)|\d{1,2}[./-]\d{1,2}[./-])"
# Every time phrase contains at least one of these slots.
TELLING = (
    "day", "calendar", "weekday", "month", "short_month", "season", "moment", "unit", "decade", "half", "holiday",
    "numbered_week",
)  # fmt: skip
# Matches German compounds, like "Freitagabend", "Aprilwoche" and "Osterwochenende".
COMPOUNDS = (("weekday", "part"), ("month", "unit"), ("holiday", "unit"))
# Longer queries are cut at this length, so that the reading time is bounded.
LONGEST = 1000


@cache
def _list_time_words(language: str) -> frozenset[str]:
    plain = _list_function_words(language)
    phrases = [LETTERS.findall(phrase) for slot in TELLING for phrase in phrases_of(language, slot)]
    words = {max((word for word in words if word not in plain), key=len, default="") for words in phrases}
    if vocabulary(language).get("compounds"):
        for first, last in COMPOUNDS:
            words |= {start + end for start in phrases_of(language, first) for end in phrases_of(language, last)}
    return frozenset(words | set(vocabulary(language).get("time_words", "").split()) - {""})


@cache
def _list_function_words(language: str) -> frozenset[str]:
    table = vocabulary(language)
    return frozenset(table.get("follows", "").split()) | frozenset(table.get("speaks", "").split())


@cache
def _compile_unspaced_times() -> tuple[tuple[str, re.Pattern[str]], ...]:
    patterns = ((language, vocabulary(language).get("time_characters")) for language in LANGUAGES)
    return tuple(
        (language, re.compile("|".join([pattern, *phrases_of(language, "holiday")]), re.IGNORECASE))
        for language, pattern in patterns
        if pattern
    )


@cache
def _compile_figures() -> re.Pattern[str]:
    """Return the pattern for figures that indicate a time, like a decade, a quarter or a day of the month."""
    figures = (vocabulary(language).get("figures") for language in LANGUAGES)
    return re.compile("|".join([FIGURES, *filter(None, figures)]), re.IGNORECASE)


def languages_of(query: str) -> list[str]:
    """Return the languages in which a query may mention a time, likeliest first. For most queries, the list is empty.

    "hier" is a time in French and a function word in German. Words like this count for the likelier language.
    """
    words = set(LETTERS.findall(query.casefold()))
    hits = {language: time_words for language in LANGUAGES if (time_words := words & _list_time_words(language))}
    unspaced = [] if query.isascii() else [language for language, times in _compile_unspaced_times() if times.search(query)]
    figures = _compile_figures().search(query) is not None
    if not hits and not figures:
        return unspaced
    weight = {language: len(words & _list_function_words(language)) for language in LANGUAGES}
    for language, time_words in hits.items():
        weight[language] += len(time_words)
    heaviest = max(weight.values())
    chosen = [
        language
        for language in LANGUAGES
        if (language in hits and (hits[language] == words or not _is_contested(language, hits[language], weight)))
        or (figures and weight[language] == heaviest)
    ]
    return unspaced + sorted(chosen, key=lambda language: -weight[language])


def _is_contested(language: str, words_read: set[str], weight: dict[str, int]) -> bool:
    """Return whether all time words are function words in another language that is at least as likely."""
    own = weight[language] - (len(words_read) == weight[language])
    return any(words_read <= _list_function_words(other) for other in LANGUAGES if other != language and weight[other] > own)


def read_time_range(query: str, now: datetime) -> TimeRange | None:
    """Return the time range that a query mentions, or None. It may be in English, German, French, Spanish or Japanese.

    `now` is the present in the caller's time zone. A naive `now` raises ValueError. If the query mentions several times, the
    leftmost one is returned. The README.md in this folder explains each phrase.
    """
    if now.utcoffset() is None:
        raise ValueError("now must be aware")
    query = normalize("NFC", query[:LONGEST])
    languages = languages_of(query)
    if not languages:
        return None
    # This import loads the patterns, which most queries don't need.
    from commonplace.text.time_ranges.reading import read

    return read(query, now, languages)
