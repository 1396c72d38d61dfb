"""Find numbers and times of day, such as "1.150", "4k", "twenty-three" or "15h30", with all their possible values."""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from fractions import Fraction

from commonplace.extraction.patterns import compiled
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.numbers import every_number, links, multipliers, numbers_of

_CLOCK = re.compile(
    r"\b(\d{1,2})(?:[:.h](\d\d))?\s?(a\.?m\b\.?|p\.?m\b\.?|uhr\b|o'clock\b|h\b|時)|\b(\d{1,2})[:h](\d\d)\b", re.IGNORECASE
)
_HALF_DAY = 12
_ROUND = frozenset((0, 15, 30, 45))

_FIGURES = re.compile(r"\d{1,3}(?:([.,'’\u00a0\u202f])\d{3})(?:\1\d{3})*(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)?")
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)*")
_KANJI = re.compile(r"[〇一二三四五六七八九十百千万]+(?=[人匹頭羽本枚個歳才年月日時分回冊台杯階週間円名つ児女男度])")
_DIGITS = {char: value for value, char in enumerate("〇一二三四五六七八九")}
_UNITS = {"十": 10, "百": 100, "千": 1000, "万": 10_000}
_MOST_DIGITS = 40  # people don't mention longer figures, and int() accepts at most 4,300 digits
Number = tuple[str, frozenset[Fraction]]


def without_clock(content: str, pool: str, known: Collection[Fraction]) -> str:
    """Return the content without the times that the pool contains (on a 12-hour clock) or whose numbers are in `known`."""
    pool_times = {time for match in _CLOCK.finditer(pool) for time in [_parse_time(match)]}

    def replacement(match: re.Match[str]) -> str:
        hour, minute = _parse_time(match)
        named = Fraction(hour) in known and (minute == 0 or Fraction(minute) in known or minute in _ROUND)
        return " " if (hour, minute) in pool_times or named else match[0]

    return _CLOCK.sub(replacement, content)


def _parse_time(match: re.Match[str]) -> tuple[int, int]:
    """Convert a time of day to a 12-hour clock, because "at 3" may be in the morning or in the afternoon."""
    return int(match[1] or match[4]) % _HALF_DAY, int(match[2] or match[5] or 0)


def numbers_in(text: str, code: str | None = None) -> Iterator[Number]:
    """Yield each number as written, with its possible values.

    If a language `code` is given, only number words in that language count, and weak hints like "a" don't.
    """
    for match in _FIGURES.finditer(text):
        yield match[0], frozenset(_parse_figures(match[0], compiled("numbers.suffix").match(text, match.end())))
    for match in _KANJI.finditer(text):
        yield match[0], frozenset([Fraction(_parse_kanji(match[0]))])
    words: Mapping[str, Iterable[int]] = (
        {word: (value,) for word, value in numbers_of(code).items()} if code else every_number()
    )
    yield from _find_number_words(text, words)


def _parse_figures(figures: str, suffix: re.Match[str] | None) -> Iterator[Fraction]:
    """Yield the possible values. A mark before three digits may separate groups or decimals. Overlong figures are skipped."""
    if len(figures) > _MOST_DIGITS:
        return
    bare = re.sub(r"['’\u00a0\u202f]", "", figures)
    values = {Fraction(bare.replace(",", ".", 1))} if bare.count(".") + bare.count(",") <= 1 else set()
    grouped = re.sub(r"[.,](?=\d{3}(?:\D|$))", "", bare)
    if grouped.count(".") + grouped.count(",") <= 1:
        values.add(Fraction(grouped.replace(",", ".")))
    yield from values
    if suffix:
        times = multipliers().get(suffix[0].strip().casefold(), 10**6)
        yield from (value * times for value in values)


def _parse_kanji(text: str) -> int:
    total = current = 0
    for char in text:
        unit = _UNITS.get(char)
        if unit is None:
            current = current * 10 + _DIGITS[char]
        else:
            total, current = total + max(current, 1) * unit, 0
    return total + current


def _find_number_words(text: str, words: Mapping[str, Iterable[int]]) -> Iterator[Number]:
    """Yield the numbers that are spelled out, in one word or several ("two hundred and five", "vingt-deux")."""
    run: list[tuple[str, int]] = []
    end = 0
    for match in _WORD.finditer(text.casefold()):
        word = straight(match[0])
        values = words.get(word, ())
        joined = not text[end : match.start()].strip(" -")
        if not (joined and run and word in links()):
            if not joined or not values:
                yield from _compose_numbers(run)
                run = []
            for value in values:
                yield word, frozenset([Fraction(value)])
            run += [(word, value) for value in values if len(list(values)) == 1]
        end = match.end()
    yield from _compose_numbers(run)


def _compose_numbers(run: list[tuple[str, int]]) -> Iterator[Number]:
    """Yield the number that two or more number words form together ("two hundred five"). A single word gives none."""
    if len(run) < 2:
        return
    total = current = 0
    for _, value in run:
        if value >= 1000:
            total, current = total + max(current, 1) * value, 0
        elif value == 100:
            current = max(current, 1) * value
        elif value == 20 and current == 4:
            current = 80
        else:
            current += value
    yield " ".join(word for word, _ in run), frozenset([Fraction(total + current)])
