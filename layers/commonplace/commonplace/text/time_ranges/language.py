"""Load the word file for each language, and compile the language's time phrases to regular expressions."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from commonplace.domain.loading import loaded_once
from commonplace.text.foundation.calendar import LANGUAGES_IN_TIMES, calendar_in_times
from commonplace.text.foundation.expressions import table_of

LANGUAGES = LANGUAGES_IN_TIMES
# Slots for months, whose words come from the shared calendar.
MONTHS = {"month": "months", "short_month": "short_months"}
# Slots that share the words of another slot. For example, the unit of a relation has the words of any other unit.
LIKE = {
    "to_meridiem": "meridiem",
    "to_hour": "hour",
    **dict.fromkeys(("nth_unit", "side_unit", "around"), "unit"),
    **dict.fromkeys(("nth_weekday", "side_weekday"), "weekday"),
    "nth_several": "several",
    **dict.fromkeys(("nth_count", "side_count"), "count"),
}
DAYS = frozenset(("day", "moment", "date", "numeric", "turn", "turned", "week_turn"))  # slots that a time of day can modify
NAMES = ("holiday", "month", "short_month", "weekday", "season", "quarter", "half", "numbered_week")  # capitalized in texts

EVERYWHERE = {  # notations shared by all languages
    "year": r"(?:19|20)\d\d",
    "month_number": r"0?[1-9]|1[0-2]",
    "day_number": r"[12]\d|3[01]|0?[1-9]",
    "day_of_month": r"[12]\d|3[01]|0?[1-9]",
    **dict.fromkeys(("hour", "to_hour"), r"2[0-4]|[01]?\d"),
    **dict.fromkeys(("minute", "to_minute"), r"[0-5]\d"),
    "week_number": r"5[0-3]|[1-4]\d|0?[1-9]",
    "tens": r"(?:19|20)?\d0",
    **dict.fromkeys(("count", "nth_count", "side_count"), r"\d{1,3}"),
    "numeric": r"(?:19|20)\d\d-\d{1,2}-\d{1,2}|(?:19|20)\d\d/\d{1,2}/\d{1,2}"
    r"|\d{1,2}\.\d{1,2}\.(?:19|20)\d\d|\d{1,2}/\d{1,2}/(?:19|20)\d\d|\d{1,2}-\d{1,2}-(?:19|20)\d\d",
}
# A hyphen, slash or dot makes a time part of a name ("year-end", "Monday.com"). Bound times may precede a dash.
FREE_EDGES = r"(?<![\w/.$€£#@-])", r"(?![\w/@%$€£-]|[.:,]\d|\.\w)"
BOUND_EDGES = r"(?<![\w/.$€£#@])", r"(?![\w/@%$€£]|[.:,]\d|\.\w)"
UNSPACED_EDGES = r"(?<![\d.#$¥-])", ""
PLACE = re.compile(r"\{(=?)([a-z_]+)\}")
NEEDED = re.compile(r"\{=?([a-z_]+)\}(?!\?)")
GROUP = re.compile(r"\([^()]*\)\??")
# A look-behind needs a fixed width, so the blanks in it stay unchanged.
BLANK = re.compile(r"(\(\?<[=!][^)]*\))| (\??)")


def vocabulary(language: str) -> dict[str, Any]:
    """Return the parsed word file for a language."""
    return table_of(__package__, f"words/{language}.toml")


@cache
def phrases_of(language: str, slot: str) -> dict[str, str]:
    """Map each phrase in a slot to its meaning. In a plain list, each phrase is its own meaning."""
    slot = LIKE.get(slot, slot)
    if slot == "weekday":
        return {name: str(number) for name, number in calendar_in_times(language).weekdays.items()}
    if slot in MONTHS:
        return {name: name for name in getattr(calendar_in_times(language), MONTHS[slot])}
    table = vocabulary(language)["slot"].get(slot, {})
    if isinstance(table, list):
        return {phrase: phrase for phrase in table}
    return {phrase: value for value, phrases in table.items() for phrase in phrases}


@dataclass(frozen=True)
class Phrase:
    """A time phrase of a language. `free` is False if the phrase needs a word like "since" or "between" next to it."""

    code: str
    template: str
    free: bool

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """The pattern for the phrase. Compiling it takes a millisecond, and most queries don't need it."""
        spaced = vocabulary(self.code)["spaced"]
        before, after = (FREE_EDGES if self.free else BOUND_EDGES) if spaced else UNSPACED_EDGES
        return re.compile(before + _expand_template(self.code, self.template) + after, re.IGNORECASE)

    @cached_property
    def needs(self) -> tuple[str, ...]:
        """The slots outside every group. Only a query that contains a word for each of these slots can match."""
        outside = self.template
        while (inner := GROUP.sub("", outside)) != outside:
            outside = inner
        named = [] if "|" in outside else [slot for slot in NEEDED.findall(outside) if slot not in EVERYWHERE]
        return tuple(slot for slot in named if phrases_of(self.code, slot))


@dataclass(frozen=True)
class Joint:
    """The patterns for the words before, between and after one or two times.

    `open` is "first", "second" or "both" if these times need not be free. If `of` is set, a time must have one of its slots.
    """

    kind: str
    before: re.Pattern[str]
    mid: re.Pattern[str]
    after: re.Pattern[str]
    open: str
    of: frozenset[str]


@dataclass(frozen=True)
class Language:
    """A language's time phrases, and the words that join them or show what a query means."""

    code: str
    titles: bool
    phrases: tuple[Phrase, ...]
    links: tuple[Joint, ...]
    pairs: tuple[Joint, ...]
    relations: tuple[Joint, ...]
    names: re.Pattern[str]
    look_alike: re.Pattern[str]
    habit: re.Pattern[str]
    past: re.Pattern[str]
    present: re.Pattern[str]
    open: re.Pattern[str]
    planned: re.Pattern[str]
    forward: re.Pattern[str]
    generic: re.Pattern[str]


@loaded_once
def language_of(code: str) -> Language:
    """Return a language's time phrases, which are built once per process."""
    table = vocabulary(code)
    return Language(
        code,
        table.get("titles", False),
        tuple(_build_phrases(code, table)),
        tuple(_build_joint(code, link) for link in table["link"]),
        tuple(_build_joint(code, pair) for pair in table["pair"]),
        (
            *(_build_joint(code, relation) for relation in table["relation"]),
            *(_build_joint(code, clock, DAYS) for clock in table.get("clock", ())),
        ),
        _compile_any(code, [f"{{={slot}}}(?:e?s)?" for slot in NAMES if phrases_of(code, slot)]),
        *(_compile_any(code, table[name]) for name in ("look_alikes", "habit", "past", "present", "open")),
        *(_compile_any(code, table[name]) for name in ("planned", "forward", "generic")),
    )


def _build_phrases(code: str, table: dict[str, Any]) -> Iterator[Phrase]:
    patterns, frames = table["patterns"], table["frames"]
    framed = [(frame, x) for name in ("day", "on", "in", "at") for frame in frames[name] for x in patterns[name]]
    framed += [(frame, x) for frame in frames["phase"] for x in patterns["phased"]]
    free = patterns["period"] + [frame.replace("{X}", x) for frame, x in framed]
    bound = [frames["operand"].replace("{X}", x) for name in ("on", "in", "at") for x in patterns[name]]
    bound += patterns["beside"]
    yield from (Phrase(code, template, free=True) for template in free)
    yield from (Phrase(code, template, free=False) for template in bound)


def _build_joint(code: str, table: dict[str, str], of: frozenset[str] = frozenset()) -> Joint:
    """Compile the templates of the words before, between and after times. If `of` is set, a time must have such a slot."""
    before, mid, after = (_expand_template(code, table.get(place, "")) for place in ("before", "mid", "after"))
    return Joint(
        kind=table.get("kind", "between"),
        before=re.compile(f"(?:{before})\\Z", re.IGNORECASE),
        mid=re.compile(mid, re.IGNORECASE),
        after=re.compile(after, re.IGNORECASE),
        open=table.get("open", ""),
        of=of,
    )


def _compile_any(code: str, patterns: list[str]) -> re.Pattern[str]:
    edge = r"\b" if vocabulary(code)["spaced"] else ""
    any_of = "|".join(_expand_template(code, pattern) for pattern in patterns)
    return re.compile(f"{edge}(?:{any_of}){edge}", re.IGNORECASE)


def _expand_template(code: str, template: str) -> str:
    """Expand the slots and fragments of a template to a regular expression. A space matches up to nine spaces."""
    fragments = vocabulary(code)["fragment"]

    def fill(place: re.Match[str]) -> str:
        unnamed, name = place.groups()
        if name == "end":
            follows = "|".join(vocabulary(code)["follows"].split())
            return rf"(?=\s{{0,9}}(?:$|[-,;:.?!…)\]\"”—–])|\s{{1,9}}(?:{follows})\b)"
        if name in fragments:
            return _expand_template(code, fragments[name])
        return f"(?:{_join_slot_words(code, name)})" if unnamed else f"(?P<{name}>{_join_slot_words(code, name)})"

    return PLACE.sub(fill, BLANK.sub(lambda blank: blank[1] or (r"\s{0,9}" if blank[2] else r"\s{1,9}"), template))


def _join_slot_words(code: str, slot: str) -> str:
    phrases = sorted(phrases_of(code, slot), key=len, reverse=True)
    written = [r"\s{1,9}".join(re.escape(word).replace("'", "['’]") for word in phrase.split()) for phrase in phrases]
    if slot in EVERYWHERE:
        written.append(EVERYWHERE[slot])
    return "|".join(written)
