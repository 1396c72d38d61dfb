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
_ENDING = "st|nd|rd|th"
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


def revalued(old: str, new: str, gone: str) -> str | None:
    """`old` with what `new` tells in the place of the figures of `gone`, a value that it says is none any more; else None.

    The figure that stands last before `gone`, else first behind it, of the same kind: a number, a weekday, a month.
    """
    before, _, behind = new.partition(gone)
    told = [*reversed(_figures_in(before)), *_figures_in(behind)]
    changed = old
    for figure in _figures_in(gone):
        instead = next((one for one in told if _kind(one) == _kind(figure) and _plain(one) != _plain(figure)), None)
        if instead is None:
            return None
        changed = re.sub(rf"(?<![\w.]){re.escape(_plain(figure))}(?:{_ENDING})?(?!\w)", instead, changed, flags=re.IGNORECASE)
    return None if changed == old else changed


def _figures_in(text: str) -> list[str]:
    said = figures_of(text)
    return [word for word in analyzer.words(text) if word in said]


def _plain(figure: str) -> str:
    return re.sub(rf"(?<=\d)(?:{_ENDING})$", "", figure)


def _kind(figure: str) -> str:
    if not is_calendar_word(figure):
        return re.sub(r"\d+", "#", _plain(figure))
    weekdays = {word for phrase in _phrases("weekday") for word in analyzer.words(phrase)}
    return "weekday" if {figure, figure.removesuffix("s")} & weekdays else "month"


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
