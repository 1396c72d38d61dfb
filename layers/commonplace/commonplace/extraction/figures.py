"""Dates, times and counts in a sentence, and the sentence with another in the place of its own."""

import functools
import re

from commonplace import analyzer
from commonplace.timerange.vocabulary import LANGUAGES, phrases_of

_COUNTS = frozenset(
    "once twice two three four five six seven eight nine ten eleven twelve half zwei drei vier fünf sechs sieben acht"
    " neun zehn halb halbes einmal zweimal deux trois quatre cinq dos tres cuatro cinco dois duas três quatro due tre"
    " twee drie vier".split()
)
_ADDED = re.compile(r"\(\d{4}[-\d –]*\)")  # what `dates` writes behind a relative date
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_BETWEEN = r"[\s.]{1,2}(?:of |de |di )?"


def figures_of(text: str) -> frozenset[str]:
    """What of a text tells how many or when, word by word."""
    said = _ADDED.sub("", text)
    return frozenset(word for word in analyzer.words(said) if word[:1].isdigit() or word in _COUNTS or is_calendar_word(word))


def is_calendar_word(word: str) -> bool:
    """Whether a word, as the analyzer has it, names a month or a weekday."""
    return word in _calendar() or word.removesuffix("s") in _calendar()


def redated(old: str, new: str) -> str | None:
    """`old` with the date of `new`, where both tell exactly one day of a month; else None."""
    ours, theirs = (_date().findall(text) for text in (new, old))
    if len(ours) != 1 or len(theirs) != 1 or ours[0].casefold() == theirs[0].casefold():
        return None
    return old.replace(theirs[0], ours[0])


@functools.cache
def _date() -> re.Pattern[str]:
    months = "|".join(sorted(map(re.escape, _phrases("month", "short_month")), key=len, reverse=True))
    return re.compile(
        rf"(?<![\w.])(?:{_DAY}{_BETWEEN}(?:{months})\b|(?:{months})\.? (?:the )?{_DAY}(?!\w)|\d{{1,2}}月\d{{1,2}}日)",
        re.IGNORECASE,
    )


@functools.cache
def _calendar() -> frozenset[str]:
    """The names of months and weekdays in every language that times are read in."""
    relative = ("tomorrow", "today", "morgen", "heute", "demain", "mañana")
    return frozenset(
        word for phrase in (*_phrases("weekday", "month", "short_month"), *relative) for word in analyzer.words(phrase)
    )


def _phrases(*slots: str) -> list[str]:
    return [phrase for language in LANGUAGES for slot in slots for phrase in phrases_of(language, slot)]
