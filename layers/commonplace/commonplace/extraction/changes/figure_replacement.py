"""Find dates, times and counts in a sentence, and replace them."""

import functools
import re

from commonplace.extraction.patterns import word_list
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word, is_weekday, month_names

_ADDED = re.compile(r"\(\d{4}[-\d –]*\)")  # added after a relative date by `absolute_dates`
_DAY = r"\d{1,2}(?:st|nd|rd|th|\.)?"
_ENDING = "st|nd|rd|th"
_ORDINAL = re.compile(rf"(?<=\d)(?:{_ENDING})$")
_MARKS = re.compile(r"[,;:.!?、。]")
_BETWEEN = r"[\s.]{1,2}(?:of |de |di )?"


def figures_of(text: str) -> frozenset[str]:
    """Return the words in a text that stand for numbers, counts and dates."""
    words = tokenizer.words(_ADDED.sub("", text))
    return frozenset(word for word in words if word[:1].isdigit() or word in word_list("counts") or is_calendar_word(word))


def with_new_date(old: str, new: str) -> str | None:
    """Return the sentence `old` with the date from `new`, or None unless both contain exactly one day of a month."""
    ours, theirs = (_compile_date().findall(text) for text in (new, old))
    if len(ours) != 1 or len(theirs) != 1 or ours[0].casefold() == theirs[0].casefold():
        return None
    return old.replace(theirs[0], ours[0])


def with_new_figures(old: str, new: str, gone: str) -> str | None:
    """In the sentence `old`, replace the figures in `gone` by figures from `new`. Return None if `new` is ambiguous.

    A figure is replaced by another one of the same kind (a day of a month, a month, a weekday). The new figure must be the
    only other one of its kind in the part of `new` that mentions `gone`, in the text before `gone`, or in all of `new`.
    """
    part = next((part for part in _MARKS.split(new) if gone in part), new)
    before, _, _ = new.partition(gone)
    changed = old
    for figure in _list_figures(gone):
        instead = _find_single_other(figure, part) or _find_single_other(figure, before) or _find_single_other(figure, new)
        if instead is None and _plain(figure) in plain_figures(before):
            continue  # the month is the same, as in "14 June, not 12 June"
        if instead is None:
            return None
        changed = re.sub(rf"(?<![\w.]){re.escape(_plain(figure))}(?:{_ENDING})?(?!\w)", instead, changed, flags=re.IGNORECASE)
    return None if changed == old else changed


def _find_single_other(figure: str, text: str) -> str | None:
    """Return the only other figure of the same kind in a text, or None if there isn't exactly one."""
    figures = {other for other in _list_figures(text) if _kind(other) == _kind(figure) and _plain(other) != _plain(figure)}
    match = re.search(rf"(?<!\w){re.escape(figures.pop())}(?!\w)", text, re.IGNORECASE) if len(figures) == 1 else None
    return match[0] if match else None


def plain_figures(text: str) -> list[str]:
    """Return the figures in a text, in order, without the ordinal endings of days."""
    return [_plain(figure) for figure in _list_figures(text)]


def _list_figures(text: str) -> list[str]:
    figures = figures_of(text)
    return [word for word in tokenizer.words(text) if word in figures]


def _plain(figure: str) -> str:
    """Return a figure without the ordinal ending of a day ("14" for "14th")."""
    return _ORDINAL.sub("", figure)


def _kind(figure: str) -> str:
    """Return the kind of a figure, which is "weekday", "month", or the figure with "#" in place of digits."""
    if not is_calendar_word(figure):
        return re.sub(r"\d+", "#", _ORDINAL.sub("th", figure))
    return "weekday" if is_weekday(figure) else "month"


@functools.cache
def months() -> str:
    """Return a pattern that matches the name of a month in any supported language."""
    return f"(?:{'|'.join(sorted(map(re.escape, month_names()), key=len, reverse=True))})"


@functools.cache
def _compile_date() -> re.Pattern[str]:
    pattern = rf"(?<![\w.])(?:{_DAY}{_BETWEEN}{months()}\b|{months()}\.? (?:the )?{_DAY}(?!\w)|\d{{1,2}}月\d{{1,2}}日)"
    return re.compile(pattern, re.IGNORECASE)
