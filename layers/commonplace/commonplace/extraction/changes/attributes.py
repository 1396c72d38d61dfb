"""Find attributes that have one value at a time, such as a home, an employer or a date. A new value replaces the old one."""

import functools
import re
from dataclasses import dataclass
from importlib.resources import files

from commonplace.extraction.patterns import compiled, expression
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.characters import LETTERS, straight
from commonplace.text.foundation.english import is_english
from commonplace.text.foundation.expressions import read_table
from commonplace.text.tagging.names import american

_VALUE_BEFORE = r"(?P<value>[^,.;!?…。、()\s][^,;!?…。、()]{0,60}?)"
_TOPIC = r"(?P<topic>[^\W_][\w'’&+-]{0,60}(?: [\w'’&+-]{1,60}){0,5}?|[^\s、。はが]{1,12})"
_TIME = re.compile(r"\b\d{1,2}(?::\d\d| ?[ap]\.?m\b| uhr| ?h\b)|\d時", re.IGNORECASE)
_CAPITAL_NEXT = re.compile(r"\w+ [A-ZÀ-Þ]")
_OF_SOMETHING = ("thing", "home_of", "favourite", "tool", "place", "weekday")
_OCCUPATIONS = ("employer", "role")
_DUE, _DEADLINE = re.compile(r"\bdue\b"), frozenset({"deadlin"})
_LONGEST_VALUE = 12
"""The maximum number of words in a value. A longer text is a story rather than a value."""


@dataclass(frozen=True)
class Attribute:
    """An attribute stated by a sentence, like the user's employer or a project's deadline.

    `topic` contains the stems of the thing that has the attribute. `kind` is name, number, date, time or word for the
    attribute `thing`, and "" for other attributes. `past` is True if the value is no longer current.
    """

    name: str
    topic: frozenset[str]
    value: str
    kind: str
    past: bool = False

    def replaces(self, other: "Attribute") -> bool:
        """Return whether this and `other` give the same attribute different values."""
        if self.name != other.name or self.topic != other.topic or self.kind != other.kind or other.past:
            return False
        ours, theirs = (f" {' '.join(tokenizer.terms(value))} " for value in (self.value, other.value))
        return bool(ours.strip() and theirs.strip()) and ours not in theirs and theirs not in ours

    def measures_as(self, other: "Attribute") -> bool:
        """Return whether two numbers may count the same things. "8 people" and "3 years" don't."""
        return not self.kind == other.kind == "number" or bool(_list_counted(self.value) & _list_counted(other.value))

    def repeats(self, other: "Attribute") -> bool:
        """Return whether this and `other` give the same attribute the same value."""
        same = self.name == other.name and self.topic == other.topic and self.kind == other.kind
        return same and bool(self.topic) and _find_american_stems(self.value) == _find_american_stems(other.value)

    def is_of_another(self, other: "Attribute") -> bool:
        """Return whether both are the same attribute of different things. Then each topic has a word that the other lacks."""
        return self.name == other.name and bool(self.topic - other.topic and other.topic - self.topic)


@functools.lru_cache(maxsize=1024)
def attribute_of(sentence: str) -> Attribute | None:
    """Return the attribute that a sentence states, or None. Only attributes that have one value at a time are found."""
    plain = " ".join(straight(sentence).split())
    for name, patterns in _load_attribute_patterns().items():
        for pattern in patterns:
            match = pattern.search(plain)
            attribute = None if match is None else _build_attribute(name, match)
            if attribute is not None:
                return attribute
    return None


def _build_attribute(name: str, match: re.Match[str]) -> Attribute | None:
    """Build the attribute from a match, or return None if the value or topic doesn't fit the attribute."""
    value, topic = match["value"], match.groupdict().get("topic") or ""
    kind = _classify_value(value)
    stems = _find_american_stems(topic) | (_DEADLINE if _DUE.search(match[0]) else frozenset())
    if (
        len(value.split()) > _LONGEST_VALUE
        or (name in _OF_SOMETHING and not stems)
        or (name == "weekday" and kind != "date")
        or (name == "thing" and kind == "word")
        or (name in ("boss", "home_of") and kind != "name")
        or (name == "boss" and value.split()[0].casefold() in _load_nationalities() and not _CAPITAL_NEXT.match(value))
        or (name in ("residence", "name") and not _has_name(value))
        or (
            name in _OCCUPATIONS
            and (compiled("attributes.beside").search(value) or compiled("attributes.no_job").match(value))
        )
    ):
        return None
    once = "past" if name == "thing" else "once" if name in _OCCUPATIONS else None
    before = match[0][: match.start("value") - match.start()]
    past = once is not None and compiled(f"attributes.{once}").search(before) is not None
    return Attribute(name, stems, value, kind if name == "thing" else "", past)


def _classify_value(value: str) -> str:
    """Return the kind of a value, which is "time", "date", "number", "name" or "word"."""
    if _TIME.search(value):
        return "time"
    if any(map(is_calendar_word, tokenizer.words(value))) or re.search(r"\d(?:st|nd|rd|th)\b|\d\.|\d月|\d日|曜", value):
        return "date"
    if compiled("attributes.number").search(value):
        return "number"
    return "name" if any(word[:1].isupper() for word in value.split()) and value.split()[-1][:1].isupper() else "word"


def _has_name(value: str) -> bool:
    """Return whether a value contains a name, even in lower case ("munich", but not "weekly sprints")."""
    words = (word for word in LETTERS.findall(value) if word not in tokenizer.stop_words())
    return any(word[:1].isupper() or not is_english(word) for word in words)


@functools.cache
def _load_nationalities() -> frozenset[str]:
    """Return words for people from a country ("Jordanian"), but not for countries, because "Jordan" may be a person."""
    table = (files(__package__) / "nationalities.txt").read_text(encoding="utf-8")
    rows = [line.split() for line in table.splitlines() if not line.startswith("#")]
    return frozenset(word for _, *people in rows for word in people)


def _list_counted(value: str) -> frozenset[str]:
    """Return the terms for the things that a number counts ("people"), or only "" if the value doesn't mention them."""
    return frozenset(tokenizer.terms(compiled("attributes.number").sub(" ", value))) or frozenset(("",))


def _find_american_stems(text: str) -> frozenset[str]:
    return frozenset(tokenizer.terms(" ".join(map(american, text.lower().split()))))


@functools.cache
def _load_attribute_patterns() -> dict[str, tuple[re.Pattern[str], ...]]:
    table: dict[str, str] = read_table(__package__, "attributes.toml")
    return {name: tuple(map(_compile_attribute_line, filter(None, lines.splitlines()))) for name, lines in table.items()}


def _compile_attribute_line(line: str) -> re.Pattern[str]:
    return re.compile(
        line.replace("{i}", expression("attributes.user"))
        .replace("{v}", expression("attributes.value"))
        .replace("{w}", _VALUE_BEFORE)
        .replace("{t}", _TOPIC),
        re.IGNORECASE,
    )
