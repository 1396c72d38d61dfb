"""Find evidence in a message, and check the names, numbers, dates and negations of a memory against it."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from functools import cache
from itertools import dropwhile
from typing import NamedTuple
from unicodedata import normalize

from dateutil.relativedelta import relativedelta

from commonplace.extraction.clauses import Clause
from commonplace.extraction.days import Utterance
from commonplace.extraction.grounding.numbers import numbers_in, without_clock
from commonplace.extraction.grounding.polarity import (
    NO,
    YES,
    is_reversed,
    listed,
    may_say_no,
    no_names,
    polarities,
    says_no,
    tables,
)
from commonplace.extraction.patterns import compiled, the_user, word_list
from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.characters import HAN, has_kana_or_han, straight
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.languages import language_of
from commonplace.text.foundation.numbers import numbers_of
from commonplace.text.foundation.tokenizer import stop_words, terms, words
from commonplace.text.time_ranges.reader import read_time_range

_WORD_EDGE = re.compile(r"(?<![^\W_\u0e00-\U0010ffff])|(?![^\W_\u0e00-\U0010ffff])")  # outside words of spaced scripts
_AROUND = " \t\n\"'.…,;:!?()[]*_「」『』“”„«»。、！？"
_ALIKE = {ord(mark): "'" for mark in "‘’ʼ´`"} | {ord(mark): '"' for mark in "“”„«»"} | {ord(mark): "-" for mark in "–—‑−"}
_WEEK = timedelta(weeks=1)
_MOST_TIMES = 6
_LONGEST_COUNT = 40
_LONGEST_RANGE = timedelta(days=8)
_UNSPACED_MONTH = re.compile(r"(?:(\d{4})年)?\s?(\d{1,2})月(?:\s?(\d{1,2})日)?")
_UNSPACED_YEAR = re.compile(r"(\d{4})年")
_ISO = re.compile(r"(?<!\d)(\d{4})-(\d\d)(?:-(\d\d))?(?!\d)")
_NUMERIC = re.compile(
    r"(?<!\d)(\d{1,2})[./-](\d{1,2})[./-](\d{4}|\d\d)(?!\d)"
    r"|\b(?:am|vom|bis|zum|dem|den|ab|seit|der)\s(\d{1,2})\.(\d{1,2})\.(?!\d)"
)
_YEAR = re.compile(r"(?<![\d.,$€£])(?:19|20)\d\d(?![\d.,]?\d|\s?[$€£%])")
_SENTENCE = re.compile(r"(?<=[.!?…])\s+(?=[^\W\d])|(?<=[。！？])|\n+")
LANGUAGES_WITHOUT_CAPITALS = ("ja", "zh", "ko")
"""The languages in which a name can be recognized only by its neighbouring words."""
_SCRIPT = re.compile(rf"[{HAN}々ぁ-ゖ가-힣]")
_OF_A_PLACE = re.compile(r"^.*[都道府県](?=.{2})|(?<=..)[都道府県市区町村]$")
_WORD = re.compile(r"[^\W_]+(?:[.'’+#&-][^\W_]+)*[+#]*")
_ENDS = re.compile(r"[.!?:…。！？\n]\s*$|^\W*$")
_POSSESSIVE = re.compile(r"['’]s?$")
_RUN = re.compile(r"[^\W\d_][\w'’]*+(?:\s[^\W\d_][\w'’]*+)*+")  # consecutive words; single words also match, for speed
_KATAKANA = re.compile(r"(?<![ァ-ヺー])(?!ユーザー?(?![ァ-ヺー]))[ァ-ヺー]{2,}")
_LEAST_STEM, _MOST_ENDING = 4, 3
_NOT = re.compile(r"(?<![\w'])([\w']+)\s(?=not\s)", re.IGNORECASE)
_NAMING = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?|\d+")
_UNSPACED_GRAMMAR = re.compile(r".*[ぁ-ゖ].*|[好嫌喜欢歡愛爱]+")
_ASKS = ("?", "？", "か")
_LIGHT, _LATER = 0.3, 0.01
NOT_DENIED, DENIED = "it says no where the user did not", "the user said no where it does not"


class PartialDate(NamedTuple):
    """A date of which some parts may be unknown (None). `weekday` is 0 for Monday."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None

    def is_part_of(self, other: "PartialDate") -> bool:
        """Return whether `other` has the same value for every known part of this date."""
        return all(mine is None or mine == theirs for mine, theirs in zip(self, other, strict=True))


def evidence_span(evidence: str, utterance: Utterance) -> tuple[int, int] | None:
    """Return the span of the evidence in the user's own words of `utterance.text`, or None if the evidence does not occur.

    Only whole words match. Case, character width, blanks, the style of quotation marks and dashes, and surrounding
    punctuation are ignored.
    """
    sought, _ = _normalize_with_places(evidence.strip(_AROUND))
    sought = sought.strip()
    if not any(map(str.isalnum, sought)):
        return None
    for start, end in utterance.own:
        text, places = _normalize_with_places(utterance.text[start:end])
        for edge in _WORD_EDGE.finditer(text):  # a regular expression or `str.find` takes quadratic time in repetitive texts
            first, last = edge.start(), edge.start() + len(sought)
            if text.startswith(sought, first) and _WORD_EDGE.match(text, last):
                return start + places[first], start + places[last - 1] + 1
    return None


def clauses_around(evidence: str, utterance: Utterance, clauses: Iterable[Clause]) -> list[Clause]:
    """Return the clauses that overlap the evidence. The list is empty if the evidence is not in the user's own words."""
    span = evidence_span(evidence, utterance)
    return [clause for clause in clauses if span and clause.start < span[1] and span[0] < clause.end]


def _normalize_with_places(text: str) -> tuple[str, list[int]]:
    """Return the text in a normal form, and the original position of each character in it."""
    chars: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plain = " " if char.isspace() else normalize("NFKC", char).translate(_ALIKE).casefold()
        if plain == " " and chars[-1:] == [" "]:
            continue
        chars += plain
        places += [place] * len(plain)
    return "".join(chars), places


def unsupported(content: str, evidence: str, context: Sequence[str], spoken_on: date) -> str | None:
    """Return the reason that the content goes beyond its evidence, or None.

    All names, numbers, dates and negations in the content must occur in `evidence` or `context` (the question, the memory to
    update). Numbers may be spelled out, names may be inflected, and dates may be relative to the day of the message.
    """
    other = "\n".join(context)
    pool = f"{evidence}\n{other}"
    code = language_of(content)
    undated, wrong = _strip_dates(content, pool, spoken_on)
    if wrong:
        return f"the date {wrong} was not said"
    number = _find_unknown_number(undated, pool, code)
    if number:
        return f"the number {number} was not said"
    name = unsupported_name(undated, pool, code) or unsupported_unspaced(undated, pool, code)
    if name:
        return f"the name {name} was not said"
    return misnegated(content, evidence, other)


def _strip_dates(content: str, pool: str, spoken_on: date) -> tuple[str, str | None]:
    """Return the content without its dates, and the first date that the user didn't mention, or None."""
    dates = sorted(written_dates(content), key=lambda match: (match[0], -match[1]))
    if not dates:
        return content, None
    meant = dates_meant(pool, spoken_on)
    parts: list[str] = []
    at = 0
    for start, end, partial in dates:
        if start < at:
            continue
        if not any(partial.is_part_of(other) for other in meant) and not _is_dated_in(partial, meant, pool):
            return content, content[start:end].strip()
        parts += [content[at:start], " "]
        at = end
    return "".join([*parts, content[at:]]), None


def _is_dated_in(partial: PartialDate, meant: Sequence[PartialDate], pool: str) -> bool:
    """Return whether each part of a date occurs in `pool`. The day may be in the question, and the month in the answer."""
    numbers = {value for _, values in numbers_in(pool) for value in values}
    return all(
        part is None or part in numbers or any(other[at] == part and other.count(None) >= 2 for other in meant)
        for at, part in enumerate(partial)
    )


def _find_unknown_number(content: str, pool: str, code: str) -> str | None:
    """Return the first number in the content that isn't in the pool, or None."""
    known = {value for _, values in numbers_in(pool) for value in values}
    for number, values in numbers_in(without_clock(content, pool, known), code):
        if not (values & known or number in pool.casefold()):
            return number
    return None


def written_dates(text: str) -> Iterator[tuple[int, int, PartialDate]]:
    """Yield the start, end and date of each date in a text, such as "14 March 2027", "im Mai", "Friday" or "3月5日"."""
    for match in _ISO.finditer(text):
        yield *match.span(), PartialDate(int(match[1]), int(match[2]), int(match[3]) if match[3] else None)
    for match in _NUMERIC.finditer(text):
        first, second, year = match[1] or match[4], match[2] or match[5], match[3]
        full = None if year is None else int(year) + (2000 if len(year) == 2 else 0)
        day, month = (first, second) if int(second) <= 12 else (second, first)
        yield *match.span(), PartialDate(full, int(month), int(day))
    for match in _UNSPACED_MONTH.finditer(text):
        named_year, named_day = (int(match[at]) if match[at] else None for at in (1, 3))
        yield *match.span(), PartialDate(named_year, int(match[2]), named_day)
    for match in _compile_months().finditer(text):
        named, year, name = match["before"] or match["after"], match["year"], match["month"].casefold()
        if named or year or any(name in calendar.months for calendar in calendars().values()):
            yield *match.span(), PartialDate(int(year) if year else None, _list_months()[name], int(named) if named else None)
    for match in _compile_weekdays().finditer(text):
        yield *match.span(), PartialDate(weekday=_list_weekdays()[match[1].casefold()])
    for match in (*_YEAR.finditer(text), *_UNSPACED_YEAR.finditer(text)):
        yield *match.span(), PartialDate(year=int(match[0][:4]))


def dates_meant(text: str, spoken_on: date) -> list[PartialDate]:
    """Return all dates that a text written on `spoken_on` may mean, including relative dates and likely years."""
    written = [partial for _, _, partial in written_dates(text)]
    years = (spoken_on.year - 1, spoken_on.year, spoken_on.year + 1)
    dates = [
        *written,
        *(_fill_date(day) for partial in written if partial.month and partial.day for day in _find_dates(partial, spoken_on)),
        *(PartialDate(year, partial.month) for partial in written if partial.month and not partial.day for year in years),
        *(day for partial in written if partial.weekday is not None for day in _find_weekdays(partial.weekday, spoken_on)),
    ]
    words = re.findall(r"[\w'’-]+", text.casefold())
    for code, table in tables().items():
        dates += [_fill_date(spoken_on + timedelta(days=step)) for word, step in table["days"].items() if word in words]
        shortened = calendars()[code].short_weekdays
        dates += [day for word in words if word in shortened for day in _find_weekdays(shortened[word], spoken_on)]
    ranges = (partial for sentence in _SENTENCE.split(text) for partial in _find_range_dates(sentence, spoken_on))
    return list(dict.fromkeys([*dates, *_find_counted_dates(text.casefold(), spoken_on), *ranges]))


def _find_weekdays(weekday: int, spoken_on: date) -> Iterator[PartialDate]:
    """Yield the dates of a weekday from one week before to two weeks after `spoken_on`."""
    near = (spoken_on + timedelta(days=step) for step in range(-7, 15))
    yield from (_fill_date(day) for day in near if day.weekday() == weekday)


def _find_dates(partial: PartialDate, spoken_on: date) -> Iterator[date]:
    """Yield the valid dates that a partial date may mean. If it has no year, last year, this year and next year are tried."""
    for year in range(spoken_on.year - 1, spoken_on.year + 2) if partial.year is None else (partial.year,):
        try:
            yield date(year, partial.month or 1, partial.day or 1)
        except ValueError:  # 31 February, or swapped month and day
            continue


def _find_counted_dates(lowered: str, spoken_on: date) -> Iterator[PartialDate]:
    """Yield the dates before and after `spoken_on` that "3 years ago", "in two weeks" or "for ten days" may mean."""
    for table in tables().values():
        for unit, names in table["units"].items():
            for match in re.finditer(rf"\b(?:{names.replace(' ', '|')})\b", lowered):
                before = " ".join(lowered[max(0, match.start() - _LONGEST_COUNT) : match.start()].split()[-3:])
                for _, values in numbers_in(before):
                    yield from _iterate_counted_dates(unit, min(map(int, values)), spoken_on)


def _iterate_counted_dates(unit: str, count: int, spoken_on: date) -> Iterator[PartialDate]:
    """Yield the dates `count` units before and after `spoken_on`, as exact as the unit. A count above 120 gives none."""
    if count > 120:
        return
    step = relativedelta(**{f"{unit}s": count})  # type: ignore[arg-type]
    yield from (_round_date(near, unit) for near in (spoken_on - step, spoken_on + step))


def _find_range_dates(text: str, spoken_on: date) -> Iterator[PartialDate]:
    """Yield the dates in the first six time ranges that a text mentions. They are relative to `spoken_on`."""
    now = datetime.combine(spoken_on, time(12), UTC)
    for _ in range(_MOST_TIMES):
        time_range = read_time_range(text, now)
        if time_range is None:
            return
        text = text[text.find(time_range.text) + len(time_range.text) :]
        first, last = time_range.after, time_range.before
        for number in range(-1, 3) if time_range.any_week else (0,):  # a weekday without a week may be in any nearby week
            weeks = number * _WEEK
            yield from _iterate_range_dates(first and first + weeks, last and last + weeks, time_range.granularity)


def _iterate_range_dates(after: datetime | None, before: datetime | None, granularity: str) -> Iterator[PartialDate]:
    """Yield the first and the last date of a range, and all its days if it is shorter than eight days."""
    edges = [edge.date() for edge in (after, before and before - timedelta(seconds=1)) if edge]
    yield from (_round_date(edge, granularity) for edge in edges)
    if len(edges) == 2 and edges[1] - edges[0] < _LONGEST_RANGE:
        yield from (_fill_date(edges[0] + timedelta(days=step)) for step in range((edges[1] - edges[0]).days + 1))


def _round_date(day: date, unit: str) -> PartialDate:
    """Return a date without month and day if the unit is a year, or without the day if the unit is a month."""
    return {"year": PartialDate(day.year), "month": PartialDate(day.year, day.month)}.get(unit, _fill_date(day))


def _fill_date(day: date) -> PartialDate:
    return PartialDate(day.year, day.month, day.day, day.weekday())


@cache
def _list_months() -> dict[str, int]:
    return {name: number for table in calendars().values() for name, number in {**table.short_months, **table.months}.items()}


@cache
def _list_weekdays() -> dict[str, int]:
    return {name: number for code in tables() for name, number in calendars()[code].weekdays.items()}


@cache
def _compile_months() -> re.Pattern[str]:
    """Return a pattern that matches months. In lower case, "may" and "march" match only next to a number."""
    names = "|".join(sorted(map(re.escape, _list_months()), key=len, reverse=True))
    return re.compile(
        rf"(?:(?P<before>\b\d{{1,2}})(?:st|nd|rd|th|er|\.|º|ª)?\s(?:of\s|de\s|d['’])?)?"
        rf"\b(?P<month>(?!(?-i:may|march)\b(?!\s\d)){names})\b\.?"
        rf"(?:\s(?P<after>\d{{1,2}})(?:st|nd|rd|th)?\b(?!:))?(?:,?\s(?:of\s|de\s|del\s)?(?P<year>(?:19|20)\d\d)\b)?",
        re.IGNORECASE,
    )


@cache
def _compile_weekdays() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(map(re.escape, _list_weekdays()))})s?\b", re.IGNORECASE)


def unsupported_unspaced(content: str, pool: str, code: str) -> str | None:
    """Return the first name in a script without spaces that is not in the pool, or None."""
    normalized_pool = normalize("NFKC", pool)
    if code not in LANGUAGES_WITHOUT_CAPITALS or not _SCRIPT.search(normalized_pool):
        return None
    named = _find_place_names(compiled(f"names.{code}"), normalize("NFKC", content))
    return next((name for name in named if name not in normalized_pool), None)


def _find_place_names(names: re.Pattern[str], content: str) -> Iterator[str]:
    """Yield the names, with place names reduced to their core. 「大阪府豊中市」 (Toyonaka in Osaka) becomes 豊中."""
    for match in names.finditer(content):
        name = next(filter(None, match.groups()))
        if not compiled("names.common").search(name):
            yield _OF_A_PLACE.sub("", name)


def unsupported_name(content: str, pool: str, code: str) -> str | None:
    """Return the first name in the content that does not occur in the pool in any form, or None."""
    known = {_strip_possessive(word) for word in _WORD.findall(pool)}
    stems: dict[str, list[str]] = {}
    for word in known:
        stems.setdefault(word[:_LEAST_STEM], []).append(word)
    together = _find_short_forms(content)
    for name in _find_names(content, code):
        plain = _strip_possessive(name)
        parts = re.split(r"[.'’&-]", plain)
        if not (
            plain in known
            or any(_share_a_stem(plain, other) for other in stems.get(plain[:_LEAST_STEM], ()))
            or any(plain in words and joined in known for joined, words in together)
            or all(part in known for part in parts)
        ):
            return name
    normalized_pool = normalize("NFKC", pool)
    return next((run for run in _KATAKANA.findall(normalize("NFKC", content)) if run not in normalized_pool), None)


def _find_names(content: str, code: str) -> Iterator[str]:
    """Yield the words that may be names: those with a capital or a digit, except for ordinary words of the language."""
    for match in _WORD.finditer(content):
        word = match[0]
        named = any(map(str.isupper, word)) or any(map(str.isdigit, word))
        if not named or word[0].isdigit() or has_kana_or_han(word) or _strip_possessive(word) in no_names(code):
            continue
        before = content[max(0, match.start() - 60) : match.start()]
        starts_sentence = _ENDS.search(before[-3:] if before else "")
        if starts_sentence and not (code == "en" and word.isascii() and not is_english(_strip_possessive(word))):
            continue  # the first word of a sentence is a name only if it isn't an English word
        if code == "de" and (
            compiled("names.before_noun").search(before)
            or compiled("names.noun").fullmatch(word)
            or before.casefold().rpartition(" ")[0].rpartition(" ")[2] in numbers_of("de")
        ):
            continue
        yield word


def _strip_possessive(word: str) -> str:
    """Return a word in lower case, with normal character width and without a possessive ending."""
    return _POSSESSIVE.sub("", normalize("NFKC", word).casefold())


def _share_a_stem(first: str, other: str) -> bool:
    """Return whether two words are forms of the same name, like "Germany" and "German"."""
    shorter, longer = sorted((first, other), key=len)
    return longer.startswith(shorter[: max(_LEAST_STEM, len(shorter) - 1)]) and len(longer) - len(shorter) <= _MOST_ENDING


def _find_short_forms(content: str) -> list[tuple[str, list[str]]]:
    """Return pairs of a short form and its words, for names with several words, like "nyc" for "New York City"."""
    initials = []
    for run in _RUN.findall(content):
        words = [word for word in run.split() if word[0].isupper()]
        for size in range(2, min(5, len(words)) + 1):
            for at in range(len(words) - size + 1):
                part = [_strip_possessive(word) for word in words[at : at + size]]
                initials += [("".join(word[0] for word in part), part), ("".join(part), part)]
    return initials


def misnegated(content: str, evidence: str, context: str) -> str | None:
    """Return the reason that a negation in the content differs from the evidence, or None.

    `context`, which is the memory to update or a question ("Any allergies?"), may also support a negation.
    """
    if says_no(content) and not (may_say_no(evidence) or may_say_no(context)):
        return NOT_DENIED
    evidence_clauses, known = _split_clauses(evidence), _split_clauses(context)
    identical = {*evidence_clauses, *known}
    made = [clause for clause in _split_clauses(content) if clause not in identical]  # identical clauses agree
    nearest = {clause: _find_nearest(clause, evidence_clauses) for clause in made}
    if made and not any(nearest.values()):
        new = [clause for clause in made if not _is_part(clause, known)]
        says_yes = bool(new) and all(polarities(clause, by_user=False) == YES for clause in new)
        return DENIED if says_yes and evidence_clauses and polarities(evidence_clauses[0], by_user=True) == NO else None
    is_answer = context.rstrip("。 ").endswith(_ASKS) and may_say_no(context)
    for clause, near in nearest.items():
        why = _find_contradiction(clause, near) if near else None
        if why == NOT_DENIED and (is_answer or _find_best_share(clause, known) > _find_best_share(clause, evidence_clauses)):
            continue
        if why and not (why == DENIED and _is_denied_elsewhere(clause, nearest, evidence_clauses)):
            return why
    return None


def _is_part(clause: str, known: Sequence[str]) -> bool:
    """Return whether a clause, without its subject, is part of a clause in `known` that has the same polarity."""
    small = (stop_words() | the_user()) - listed("no")
    bare = (" ".join(dropwhile(lambda word: word.casefold() in small, clause.split())) or clause).casefold()
    own = polarities(clause, by_user=False)
    return any(bare in other.casefold() and own & polarities(other, by_user=True) for other in known)


def _find_contradiction(clause: str, near: Sequence[str]) -> str | None:
    """Return the reason that a clause and the nearest clauses in the evidence differ in polarity, or None."""
    own = polarities(clause, by_user=False)
    if any(own & polarities(other, by_user=True) and not is_reversed(clause, other) for other in near):
        return None
    return DENIED if own == YES or (is_reversed(clause, near[0]) and says_no(near[0])) else NOT_DENIED


def _is_denied_elsewhere(clause: str, nearest: Mapping[str, Sequence[str]], evidence_clauses: Sequence[str]) -> bool:
    """Return whether another clause of the content repeats the user's negation, and no affirmed clause resembles this one."""
    negated = (near for other, near in nearest.items() if other != clause and polarities(other, by_user=False) == NO)
    denied = any(set(near) & set(nearest[clause]) for near in negated)
    return denied and not any(_compare(clause, other) for other in evidence_clauses if polarities(other, by_user=True) == YES)


def _find_nearest(clause: str, evidence_clauses: Sequence[str]) -> list[str]:
    """Return the clauses in the evidence that share the most words with a clause, or an empty list if none shares any."""
    shares = [_compare(clause, other) for other in evidence_clauses]
    most = max(shares, default=0.0)
    return [other for other, share in zip(evidence_clauses, shares, strict=True) if most and share == most]


def _find_best_share(clause: str, evidence_clauses: Sequence[str]) -> float:
    return max((_compare(clause, other) for other in evidence_clauses), default=0.0)


def _compare(clause: str, other: str) -> float:
    """Return the weight of the words that two clauses share. Later words weigh more, and negations and kana weigh little."""
    theirs = set(terms(other, _tokenize_empty_words()))
    ours, light = dict.fromkeys(terms(clause, _tokenize_empty_words())), _list_negative_terms()
    shared = [(at, word) for at, word in enumerate(ours) if word in theirs]
    return sum((_LIGHT if word in light or _UNSPACED_GRAMMAR.fullmatch(word) else 1.0) + _LATER * at for at, word in shared)


def _split_clauses(text: str) -> list[str]:
    """Return the clauses in a text. A negation about the previous clause ("and I hate it") is joined to that clause."""
    parts = compiled("negation.clause").split(compiled("negation.pair").sub(r"\1 ", straight(text)))
    clauses: list[str] = []
    for clause in (clause for part in parts for clause in _split_contrast(part) if clause.strip()):
        leans = polarities(clause, by_user=True) == NO and (
            compiled("negation.leans").search(clause)
            or not any(word not in _list_empty_words() for word in _NAMING.findall(clause.casefold()))
        )
        if clauses and leans:
            clauses[-1] = f"{clauses[-1]}, {clause.strip()}"
        else:
            clauses.append(clause.strip())
    return clauses


def _split_contrast(clause: str) -> Iterator[str]:
    """Yield the parts of a contrast like "the 14th not the 12th", or the whole clause if it has no contrast."""
    at = 0
    for match in _NOT.finditer(clause):
        if match[1].lower() not in word_list("negated_behind") and not match[1].endswith(("'m", "'re", "'s")):
            yield clause[at : match.end()]
            at = match.end()
    yield clause[at:]


@cache
def _list_empty_words() -> frozenset[str]:
    """Return the words that say nothing about a clause's subject."""
    dated = {name for calendar in calendars().values() for names in (calendar.months, calendar.weekdays) for name in names}
    return (listed("names_none") - dated) | listed("no") | stop_words() | the_user()


@cache
def _tokenize_empty_words() -> frozenset[str]:
    """Return the words that say nothing about a clause's subject, as split by the tokenizer."""
    return frozenset(word for text in _list_empty_words() for word in words(text))


@cache
def _list_negative_terms() -> frozenset[str]:
    return frozenset(term for word in listed("against") for term in terms(word))
