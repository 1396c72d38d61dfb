"""Find the parts of a query that may express a time, and parse written dates."""

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from functools import cache, lru_cache
from itertools import product

from commonplace.text.foundation.calendar import calendar_in_times
from commonplace.text.foundation.characters import straight
from commonplace.text.time_ranges import TimePhrase, TimeSpan
from commonplace.text.time_ranges.language import Joint, Language, language_of, phrases_of

QUOTED = re.compile(r"\"[^\"]+\"|“[^”]+”|„[^“”]+[“”]|«[^»]+»|「[^」]+」|『[^』]+』|(?<!\w)['‘][^'’]+['’](?!\w)")
# This year stands in for a missing year. It is a leap year, so that 29 February is valid.
NO_YEAR = 2000
_FIGURES = re.compile(r"\d+")
_LETTERS = re.compile(r"[^\W\d_]+")
_THIS_CENTURY = 69  # two-digit years below 69 are in this century, as in POSIX
# The maximum distance between a joint's words and its times, in characters.
REACH = 40


def spans_of(query: str, language: Language, blocked: Sequence[tuple[int, int]]) -> list[TimeSpan]:
    """Return the possible times outside the `blocked` spans, leftmost first, and the longest first at the same position."""
    phrases = _find_phrases(query, language)
    holidays = [phrase for phrase in phrases if "holiday" in phrase.slots]
    phrases = [phrase for phrase in phrases if not _is_of_a_name(phrase, holidays)]
    phrases += related(query, language, phrases)
    if language.habit.search(query):
        phrases = [phrase for phrase in phrases if not phrase.bare]
    meant = language.past.search(query) or (language.forward.search(query) and not language.generic.search(query))
    spans = [TimeSpan(phrase.start, phrase.end, "during", (phrase,)) for phrase in phrases if phrase.free]
    spans += [*_find_paired_spans(query, language, phrases)]
    if not meant:
        spans = [span for span in spans if not all(phrase.general for phrase in span.phrases)]
    spans += _find_linked_spans(query, language, phrases)
    if language.titles:
        blocked = [*blocked, *_find_titles(query, language)]
    free = [span for span in spans if not any(start < span.end and span.start < end for start, end in blocked)]
    return sorted(free, key=lambda span: (span.start, -span.end))


def _is_of_a_name(phrase: TimePhrase, holidays: Sequence[TimePhrase]) -> bool:
    """Return whether a phrase is only part of a holiday's name, like the "Friday" of "Good Friday"."""
    if "holiday" in phrase.slots:
        return False
    return any(holiday.start <= phrase.start and phrase.end <= holiday.end for holiday in holidays)


def look_alikes(query: str, languages: Sequence[Language]) -> list[tuple[int, int]]:
    """Return the spans of a query that only resemble a time. `languages` lists the possible languages of the query.

    Quoted words are a title, unless the whole query is quoted.
    """
    whole = len(query.strip())
    quoted = [match.span() for match in QUOTED.finditer(query) if match.end() - match.start() < whole - 1]
    return quoted + [match.span() for language in languages for match in language.look_alike.finditer(query)]


def _find_phrases(query: str, language: Language) -> list[TimePhrase]:
    phrases: dict[tuple[int, int, tuple[str, ...]], TimePhrase] = {}
    plain = " ".join(straight(query.casefold()).split())
    slots_used = {slot for slot, words in _list_needed_words(language.code).items() if any(word in plain for word in words)}
    for known in (phrase for phrase in language.phrases if slots_used.issuperset(phrase.needs)):
        for match in known.pattern.finditer(query):
            slots = meanings(language.code, match.groupdict())
            phrase = TimePhrase(*match.span(), {**slots, "language": language.code}, known.free)
            phrases.setdefault((phrase.start, phrase.end, tuple(sorted(slots))), phrase)
    return list(phrases.values())


@cache
def _list_needed_words(code: str) -> Mapping[str, tuple[str, ...]]:
    """Map each slot that a phrase may require to its words. A phrase is skipped if the query lacks a required word."""
    slots = {slot for phrase in language_of(code).phrases for slot in phrase.needs}
    return {slot: tuple(word.casefold() for word in phrases_of(code, slot)) for slot in slots}


def _find_linked_spans(query: str, language: Language, phrases: list[TimePhrase]) -> Iterator[TimeSpan]:
    for phrase in phrases:
        for link in language.links:
            reach = edges(query, link, phrase, phrase) if _is_fitting(phrase, link.kind) else None
            if reach:
                yield TimeSpan(*reach, link.kind, (phrase,))


def _is_fitting(phrase: TimePhrase, kind: str) -> bool:
    """Return whether a joint fits a phrase. An age ("older than") needs a duration ("two years", "two years ago")."""
    if kind in ("older", "newer"):
        return bool(phrase.slots.keys() & {"length", "ago"})
    return not phrase.slots.keys() & {"length", "day_number"}


def _find_paired_spans(query: str, language: Language, phrases: list[TimePhrase]) -> Iterator[TimeSpan]:
    ordered = sorted(phrases, key=lambda phrase: phrase.start)
    starts = [phrase.start for phrase in ordered]
    for first in phrases:
        near = ordered[bisect_left(starts, first.end) : bisect_right(starts, first.end + REACH)]
        for second, pair in product(near, language.pairs):
            if _can_join(first, second, pair.open) and pair.mid.fullmatch(query, first.end, second.start):
                reach = edges(query, pair, first, second)
                if reach:
                    yield TimeSpan(*reach, pair.kind, (first, second))


def _can_join(first: TimePhrase, second: TimePhrase, open_: str) -> bool:
    """Return whether two phrases can form a span. A date and a number need no word before them, as in "6-7 April"."""
    if {"date", "day_number"} == {slot for phrase in (first, second) for slot in phrase.slots} & {"date", "day_number"}:
        return True
    return (first.free or open_ in ("first", "both")) and (second.free or open_ in ("second", "both"))


def _find_titles(query: str, language: Language) -> list[tuple[int, int]]:
    """Return the spans of capitalized words, as in "Last Week Tonight", except for names of days and months."""
    if query.isupper() or query[1:].islower():
        return []
    names = {place for name in language.names.finditer(query) for place in range(*name.span())}
    capitals = re.finditer(r"(?<=[\w,;)'’\"] )[^\W\d_]\w*|(?<=[\w’']-)[^\W\d_]\w*", query)
    return [word.span() for word in capitals if word[0][0].isupper() and word.start() not in names]


@lru_cache(maxsize=1024)
def read_written(text: str, language: str) -> date | None:
    """Return the date in a text, or None. A date without a year is in `NO_YEAR`. A month is read as its first day.

    A date like 05/03/2023 begins with the day, except in Japanese. After a year, the month precedes the day.
    """
    figures = _FIGURES.findall(text)
    if any(len(figure) not in (1, 2, 4) for figure in figures):
        return None
    year = next((int(figure) for figure in figures if len(figure) == len("2023")), None)
    numbers = [int(figure) for figure in figures if len(figure) < len("2023")]
    calendar = calendar_in_times(language)
    names = {**calendar.months, **calendar.short_months}
    month = next((names[word] for word in _LETTERS.findall(text.casefold()) if word in names), None)
    if month is not None:
        day = numbers[0] if numbers and (year is not None or 1 <= numbers[0] <= 31) else 1
        return _build_date(year or NO_YEAR, month, day)
    if len(numbers) == len(("day", "month", "year")):
        year = numbers[2] + (2000 if numbers[2] < _THIS_CENTURY else 1900)
    elif len(numbers) != len(("day", "month")):
        return None
    first, second = numbers[:2]
    if language == "ja" or len(figures[0]) == len("2023"):
        first, second = second, first
    return _build_date(year or NO_YEAR, second, first) or _build_date(year or NO_YEAR, first, second)


def _build_date(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None


def related(query: str, language: Language, phrases: Sequence[TimePhrase]) -> Iterator[TimePhrase]:
    """Yield the combination of each phrase with a relation next to it ("the first Monday of"), with the slots of both.

    A combination that makes no sense ("the first Monday of yesterday") later resolves to None.
    """
    for phrase, relation in product(phrases, language.relations):
        own = phrase.slots.keys()
        if own & {"length", "day_number"} or (relation.of and not own & relation.of):
            continue
        before = relation.before.search(query, max(0, phrase.start - REACH), phrase.start)
        after = relation.after.match(query, phrase.end) if before else None
        if not before or not after or not _is_word_end(query, after.end()):
            continue
        slots = meanings(language.code, {**before.groupdict(), **after.groupdict()})
        if slots and not slots.keys() & own:
            yield TimePhrase(before.start(), after.end(), {**phrase.slots, **slots}, True)


def edges(query: str, joint: Joint, first: TimePhrase, last: TimePhrase) -> tuple[int, int] | None:
    """Return the span of two times and the words of `joint` around them. Returns None if these words are missing."""
    before = joint.before.search(query, max(0, first.start - REACH), first.start)
    after = joint.after.match(query, last.end) if before else None
    if not before or not after or (after.end() == last.end and not _is_word_end(query, last.end)):
        return None
    return before.start(), after.end()


def meanings(code: str, filled: dict[str, str | None]) -> dict[str, str]:
    """Return the meaning of the words in each filled slot of a match."""
    return {
        slot: phrases_of(code, slot).get(" ".join(straight(text.casefold()).split()), text)
        for slot, text in filled.items()
        if text is not None
    }


def _is_word_end(query: str, end: int) -> bool:
    """Return whether a word ends at `end`. A hyphen continues the word, as after "March" in "Before March-madness"."""
    return query[end : end + 1] != "-"
