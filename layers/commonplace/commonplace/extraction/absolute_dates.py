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

_ABSOLUTE, _NUMBER = re.compile(r"(?:19|20)\d\d"), re.compile(r"\b\d")
_DAY, _WEEK = timedelta(days=1), timedelta(days=7)
_NIGHT = timedelta(hours=6, microseconds=1)  # "by Friday night" ends at 6:00 on Saturday


def with_dates(text: str, spoken_at: datetime) -> str:
    """Insert the date after each time expression whose date follows from the message's time, which must be timezone-aware."""
    dated, read = "", 0
    for part, sentence in ((part, text) for text in memory_sentences(text) for part in statements(text)):
        words, day = _find_date(part, spoken_at, sentence)
        at = text.find(words, _find_start(part, text, read)) if words else -1
        if at >= 0:
            rest = compiled("absolute_dates.rest").match(text, at + len(words))
            end = rest.end() if rest else at + len(words)
            dated, read = f"{dated}{text[read:end]} ({day})", end
    return dated + text[read:]


def _find_start(part: str, text: str, read: int) -> int:
    """Return the offset, from `read` on, at which a statement starts in a text. The text may lack its first words."""
    plain, own = straight(text), straight(part)
    while own and plain.find(own, read) < 0:
        own = own.partition(" ")[2]
    return plain.find(own, read)


def _find_date(text: str, spoken_at: datetime, sentence: str) -> tuple[str, str]:
    """Return the time expression in a statement and its date, or empty strings if the date is already given or uncertain.

    `sentence` contains the statement. A weekday in a sentence about habits gets no date ("I swim every Monday").
    """
    moved = compiled("absolute_dates.moved").match(text)  # "moved from Monday to Thursday": only the new day is dated
    span = read_time_range(text.replace(moved[moved.lastgroup], "") if moved and moved.lastgroup else text, spoken_at)
    if span is None or span.any_year or _ABSOLUTE.search(text) or span.text not in text or _is_ambiguous(span.text):
        return "", ""
    if compiled("absolute_dates.numbered").match(text, text.index(span.text) + len(span.text)):
        return "", ""
    if span.any_week and any(language_of(code).habit.search(sentence) for code in languages_of(sentence)):
        return "", ""
    meant = _move_to_meant_week(span, text, spoken_at) if span.any_week else span
    day = None if meant is None else _format_range(meant)
    return ("", "") if day is None else (span.text, day)


def _is_ambiguous(words: str) -> bool:
    """Return whether the words mention a month or a day of a month, which could be in the past or in the future."""
    months = [phrase for code in languages_of(words) for slot in ("month", "season") for phrase in phrases_of(code, slot)]
    numbered = _NUMBER.search(compiled("absolute_dates.clock").sub("", words))
    counted = not numbered or compiled("absolute_dates.counted").search(words)
    return not counted or not set(tokenizer.words(" ".join(months))).isdisjoint(tokenizer.words(words))


def _move_to_meant_week(time_range: TimeRange, text: str, spoken_at: datetime) -> TimeRange | None:
    """Move a weekday's date to the past or the future, depending on the verb. Returns None if the verb leaves that open."""
    first, last, past = time_range.after, time_range.before, _is_past(text, time_range)
    end = last or (first and first + _DAY)
    if past is None or end is None or (not past and first and end - first > _DAY):
        return None  # "from Monday to Friday" may be a habit or a plan
    weeks = (spoken_at - end) // _WEEK
    shift = (min(0, weeks) if past else max(0, weeks + 1)) * _WEEK
    return replace(time_range, after=first and first + shift, before=last and last + shift)


def _is_past(text: str, time_range: TimeRange) -> bool | None:
    """Return whether the verb nearest to a weekday is about the past, or None if the verb doesn't show that.

    Without a verb, a limit ("until Friday") or a time of day is about the future ("dentist Friday at nine").
    """
    text, words, clause_start = straight(text), time_range.text, compiled("absolute_dates.clause")
    end = text.index(straight(words)) + len(words)
    before = clause_start.split(text[:end])[-1]
    clause, at, end = before + clause_start.split(text[end:])[0], len(before) - len(words), len(before)
    if compiled("absolute_dates.began").search(clause[at:]):
        return True

    def distance(verb: re.Match[str]) -> tuple[int, int, int]:
        between = clause[verb.end() : at] + clause[end : verb.start()]
        return sum(map(between.count, ",;:")), len(between), verb.start() - verb.end()

    verbs = [
        (distance(verb), past)
        for language in map(language_of, dict(_find_weekdays(words)))  # not all languages: "half" is also a German verb
        for past, pattern in ((None, language.open), (True, language.past), (False, language.present))
        for verb in pattern.finditer(clause)
        if verb.end() > at or language.code != "ja"  # in Japanese, a verb before a weekday belongs to a noun
    ]
    whole_day = time_range.after and time_range.before and time_range.before - time_range.after == _DAY
    is_planned = not whole_day or compiled("absolute_dates.planned").search(clause)
    past = min(verbs, key=lambda verb: verb[0])[1] if verbs else False if is_planned else None
    if aim := compiled("absolute_dates.aim").search(clause, max(0, at - 5), at + 5):
        moved = not aim["move"] or any(is_past is None for _, is_past in verbs)  # "auf" and "al" need a verb of moving
        return False if moved and not past else None  # what was done for a weekday may be older than the weekday
    return past


def _find_weekdays(words: str) -> list[tuple[str, int]]:
    """Return the weekdays that the words name, each with the language of its name. Monday is 0."""
    names = ((code, *name) for code in languages_of(words) for name in phrases_of(code, "weekday").items())
    return [(code, int(number)) for code, name, number in names if name in words.casefold()]


def _format_range(time_range: TimeRange) -> str | None:
    """Format a time range as ISO dates of the same precision. Returns None for several months or several years."""
    first, last = time_range.after, time_range.before
    if first is None or last is None:
        edge = first or (last and last - _NIGHT)
        named = {weekday for _, weekday in _find_weekdays(time_range.text)}  # "before Friday" ends on Thursday
        near = (edge + shift for shift in (0 * _DAY, _DAY, -_DAY) if edge and (edge + shift).weekday() in named)
        return f"{next(near, edge):%Y-%m-%d}" if edge else None
    if time_range.granularity in ("year", "month"):
        whole = last - first <= timedelta(days=366 if time_range.granularity == "year" else 31)
        return f"{first:%Y}" if time_range.granularity == "year" and whole else f"{first:%Y-%m}" if whole else None
    final = first if time_range.granularity == "moment" else last - _DAY
    return f"{first:%Y-%m-%d}" if final.date() <= first.date() else f"{first:%Y-%m-%d} – {final:%Y-%m-%d}"
