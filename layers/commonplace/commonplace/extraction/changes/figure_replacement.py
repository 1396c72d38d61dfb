"""Finds dates, times and counts in a sentence, and puts others in their place."""

import functools
import re

from commonplace.extraction.patterns import word_list
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word, is_weekday, month_names

_ADDED = re.compile(r"\(\d{4}[-\d –]*\)")  # what `dates` writes behind a relative date
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_ENDING = "st|nd|rd|th"
_ORDINAL = re.compile(rf"(?<=\d)(?:{_ENDING})$")
_MARKS = re.compile(r"[,;:.!?、。]")
_BETWEEN = r"[\s.]{1,2}(?:of |de |di )?"


def figures_of(text: str) -> frozenset[str]:
    """The words of a text that tell how many or when."""
    said = _ADDED.sub("", text)
    return frozenset(
        word for word in tokenizer.words(said) if word[:1].isdigit() or word in word_list("counts") or is_calendar_word(word)
    )


def with_new_date(old: str, new: str) -> str | None:
    """The sentence `old` with the date of `new`, if each tells exactly one day of a month; else None."""
    ours, theirs = (_date().findall(text) for text in (new, old))
    if len(ours) != 1 or len(theirs) != 1 or ours[0].casefold() == theirs[0].casefold():
        return None
    return old.replace(theirs[0], ours[0])


def with_new_figures(old: str, new: str, gone: str) -> str | None:
    """The sentence `old` with the figures of `new` in place of those of `gone`; None where that is not clear.

    A figure takes the place of one of its kind (a day of a month, a month, a weekday), and only if `new` tells just one
    such in the part of it, between marks, where it names `gone`, or else before that, or else in all of it.
    """
    part = next((part for part in _MARKS.split(new) if gone in part), new)
    before, _, _ = new.partition(gone)
    changed = old
    for figure in _figures_in(gone):
        instead = _single_other(figure, part) or _single_other(figure, before) or _single_other(figure, new)
        if instead is None and _plain(figure) in plain_figures(before):
            continue  # "14 June, not 12 June": the month is the same
        if instead is None:
            return None
        changed = re.sub(rf"(?<![\w.]){re.escape(_plain(figure))}(?:{_ENDING})?(?!\w)", instead, changed, flags=re.IGNORECASE)
    return None if changed == old else changed


def _single_other(figure: str, text: str) -> str | None:
    """The only other figure of the same kind in a text; None if there is none or more than one."""
    others = {one for one in _figures_in(text) if _kind(one) == _kind(figure) and _plain(one) != _plain(figure)}
    found = re.search(rf"(?<!\w){re.escape(others.pop())}(?!\w)", text, re.IGNORECASE) if len(others) == 1 else None
    return found[0] if found else None


def plain_figures(text: str) -> list[str]:
    """The figures of a text in order, a day of a month without its ending."""
    return [_plain(figure) for figure in _figures_in(text)]


def _figures_in(text: str) -> list[str]:
    said = figures_of(text)
    return [word for word in tokenizer.words(text) if word in said]


def _plain(figure: str) -> str:
    return _ORDINAL.sub("", figure)


def _kind(figure: str) -> str:
    if not is_calendar_word(figure):
        return re.sub(r"\d+", "#", _ORDINAL.sub("th", figure))
    return "weekday" if is_weekday(figure) else "month"


@functools.cache
def months() -> str:
    """A pattern for the name of a month in any supported language."""
    return f"(?:{'|'.join(sorted(map(re.escape, month_names()), key=len, reverse=True))})"


@functools.cache
def _date() -> re.Pattern[str]:
    return re.compile(
        rf"(?<![\w.])(?:{_DAY}{_BETWEEN}{months()}\b|{months()}\.? (?:the )?{_DAY}(?!\w)|\d{{1,2}}月\d{{1,2}}日)",
        re.IGNORECASE,
    )
