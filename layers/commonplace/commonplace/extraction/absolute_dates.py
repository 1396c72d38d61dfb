"""Add absolute dates to relative dates. For example, "yesterday" becomes "yesterday (2026-03-10)"."""

import re
from dataclasses import replace
from datetime import datetime, timedelta

from commonplace.extraction.changes.statements import memory_sentences, statements
from commonplace.extraction.patterns import compiled
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import straight
from commonplace.text.time_ranges import TimeRange
from commonplace.text.time_ranges.language import language_of, phrases_of
from commonplace.text.time_ranges.reader import languages_of, read_time_range

_ABSOLUTE = re.compile(r"(?:19|20)\d\d")
_MONTHS = ("month", "season")
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)


def with_dates(text: str, spoken_at: datetime) -> str:
    """Insert the date after each time expression, if the time of the message (timezone-aware) determines it."""
    dated, read = "", 0
    for part, sentence in ((part, text) for text in memory_sentences(text) for part in statements(text)):
        words, day = _find_date(part, spoken_at, sentence)
        at = text.find(words, _find_start(part, text, read)) if words else -1
        if at >= 0:
            end = at + len(words)
            dated, read = f"{dated}{text[read:end]} ({day})", end
    return dated + text[read:]


def _find_start(part: str, text: str, read: int) -> int:
    """Return where a statement starts in a text, at or after `read`. The text may lack the statement's first words."""
    plain, own = straight(text), straight(part)
    while own and plain.find(own, read) < 0:
        own = own.partition(" ")[2]
    return plain.find(own, read)


def _find_date(text: str, spoken_at: datetime, sentence: str) -> tuple[str, str]:
    """Return the time expression of a statement and its date, or empty strings if the date is already given or uncertain.

    `sentence` contains the statement. A weekday in a sentence about habits gets no date ("I swim every Monday").
    """
    span = read_time_range(text, spoken_at)
    if span is None or span.any_year or _ABSOLUTE.search(text) or span.text not in text or _is_ambiguous(span.text):
        return "", ""
    if span.any_week and any(language_of(code).habit.search(sentence) for code in languages_of(sentence)):
        return "", ""
    meant = _move_to_next(span, text, spoken_at) if span.any_week else span
    day = None if meant is None else _format_range(meant)
    return ("", "") if day is None else (span.text, day)


def _is_ambiguous(words: str) -> bool:
    """Return whether the words name a month or a day of a month, which may be a past or a coming one."""
    spoken = tokenizer.words(words)
    months = {
        word
        for code in languages_of(words)
        for slot in _MONTHS
        for phrase in phrases_of(code, slot)
        for word in tokenizer.words(phrase)
    }
    return not months.isdisjoint(spoken) or (
        any(word[:1].isdigit() for word in spoken) and not compiled("absolute_dates.counted").search(words)
    )


def _move_to_next(time_range: TimeRange, text: str, spoken_at: datetime) -> TimeRange | None:
    """Move a weekday to its next occurrence, unless the text is about the past. Returns None for a range of days."""
    if time_range.before is None or any(language_of(code).past.search(text) for code in languages_of(text)):
        return time_range
    if time_range.after is not None and time_range.before - time_range.after > _DAY:
        return None  # "from Monday to Friday" may be a habit or a plan
    weeks = max(0, (spoken_at - time_range.before) // _WEEK + 1) * _WEEK
    return replace(time_range, after=time_range.after and time_range.after + weeks, before=time_range.before + weeks)


def _format_range(time_range: TimeRange) -> str | None:
    """Format a time range as ISO dates of the same precision. Returns None for several months or several years."""
    first, last = time_range.after, time_range.before
    if first is None or last is None:
        edge = first or (last and last - timedelta(days=1))
        return f"{edge:%Y-%m-%d}" if edge else None
    if time_range.granularity in ("year", "month"):
        whole = last - first <= timedelta(days=366 if time_range.granularity == "year" else 31)
        return f"{first:%Y}" if time_range.granularity == "year" and whole else f"{first:%Y-%m}" if whole else None
    if time_range.granularity == "moment":
        return f"{first:%Y-%m-%d}"
    final = last - timedelta(days=1)
    return f"{first:%Y-%m-%d}" if final.date() <= first.date() else f"{first:%Y-%m-%d} – {final:%Y-%m-%d}"
