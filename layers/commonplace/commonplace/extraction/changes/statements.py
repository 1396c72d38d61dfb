"""Splits a text into single statements, also where a sentence continues with another verb ("... and have a cat")."""

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from commonplace.extraction.clauses import sentences
from commonplace.extraction.content_words import stems_of
from commonplace.extraction.patterns import compiled, wording_pattern
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import read_table
from commonplace.text.foundation.sentences import STOPS

_LEAST_BEFORE_VERB = 3
_TOPIC = re.compile(r"^[^、。は]{1,12}は")
_WHOLE_FORM = {"ていて": "ています", "でいて": "でいます", "で": "です"}

_LEAST_WORDS = 2


@dataclass(frozen=True)
class CutPoint:
    """A place to split a text: read up to `start`, `whole` is said; the rest begins at `end`, with `who` as its subject."""

    start: int
    end: int
    whole: str
    who: str


@dataclass(frozen=True)
class _LanguageRow:
    next: re.Pattern[str]
    who: re.Pattern[str]
    never: re.Pattern[str] | None
    says: str | None

    def subject(self, part: str) -> str | None:
        """The subject that the rest of a split sentence needs; None where that is not clear."""
        found = self.who.search(part)
        if found is None or (self.never and self.never.search(part)):
            return None
        return self.says if self.says is not None else next(filter(None, found.groups()), None)


def cut_points(text: str) -> Iterator[CutPoint]:
    """All places where a text may be split, in no order."""
    found = [(cut, row) for row in _rows() for cut in row.next.finditer(text)]
    for cut, row in found:
        part = text[: cut.start()].strip()
        who = row.subject(part) if len(part.split()) >= _LEAST_BEFORE_VERB or "'m " in part else None
        if who is not None:
            yield CutPoint(cut.start(), cut.end(), part, f"{who.strip()} " if who else "")
    yield from _cuts_before_he_or_she(text)
    yield from _cuts_in_japanese(text)


def _cuts_before_he_or_she(text: str) -> Iterator[CutPoint]:
    """The places before a "she" or "her" that refers to the one person of the household named before."""
    for way, ending in (("he_or_she", ""), ("hers", "'s")):
        for cut in compiled(f"statements.{way}").finditer(text):
            part = text[: cut.start()].strip()
            named = list(wording_pattern("household").finditer(part))
            if len(named) == 1 and named[0].start() == 0:
                yield CutPoint(cut.start(), cut.end(), part, named[0][0] + ending)


def _cuts_in_japanese(text: str) -> Iterator[CutPoint]:
    """The places behind a Japanese clause in a connecting form; its topic is carried over."""
    for cut in compiled("statements.te").finditer(text):
        part, topic = text[: cut.start()], _TOPIC.match(text[: cut.start()])
        if cut["form"] != "で" or topic:
            who = topic[0] if topic and not _TOPIC.match(text[cut.end() :]) else ""
            yield CutPoint(cut.start(), cut.end(), f"{part}{_WHOLE_FORM.get(cut['form'], '')}。", who)


@functools.cache
def _rows() -> tuple[_LanguageRow, ...]:
    table = read_table(__package__, "continuations.toml")

    def compiled(row: dict[str, str], key: str) -> re.Pattern[str]:
        return re.compile(row[key].replace("{verbs}", row["verbs"]), re.IGNORECASE)

    return tuple(
        _LanguageRow(
            compiled(row, "next"), compiled(row, "who"), compiled(row, "never") if "never" in row else None, row.get("says")
        )
        for row in table["rows"]
    )


def memory_sentences(text: str) -> list[str]:
    """The sentences of a memory's content; a question and its answer count as one."""
    return list(_memory_sentences(text))


@functools.lru_cache(maxsize=1024)
def _memory_sentences(text: str) -> tuple[str, ...]:
    return (text,) if "?" in text or "？" in text else tuple(one.text for one in sentences(text))


def statements(text: str) -> list[str]:
    """The single statements of a text: "I'm vegan and I love Thai food" has two."""
    return list(_statements(text))


@functools.lru_cache(maxsize=1024)
def _statements(text: str) -> tuple[str, ...]:
    return tuple(part for sentence in memory_sentences(text) for part in _parts(sentence))


def without_statements(text: str, gone: Collection[str]) -> list[str]:
    """The sentences of a text without the statements `gone`; the rest of a split sentence stands on its own."""
    kept: list[str] = []
    for sentence in memory_sentences(text):
        parts = _parts(sentence)
        left = [part for part in parts if part not in gone]
        kept += [sentence] if left == parts else left
    return kept


def kept_details(old: str, new: str) -> list[str]:
    """With whom or what of the user's own it was, and what they are by profession, where `new` says nothing of it: whoever
    moves may well take their dog, and a nurse who leaves Valencia is one still."""
    found = [one[0] for one in compiled("statements.beside").finditer(old) if not stems_of(one[0]) & stems_of(new)]
    being = None if compiled("statements.being").search(new) else compiled("statements.being").search(straight(old))
    found += [being["being"]] if being and not stems_of(being["being"]) & stems_of(new) else []
    return [one[0].upper() + one[1:] for one in found]


def joined(said: Collection[str]) -> str:
    """Statements as one text, each once."""
    return " ".join(one if one.endswith(STOPS) else f"{one}." for one in dict.fromkeys(said))


def _parts(sentence: str) -> list[str]:
    """Splits a sentence where another statement begins ("my wife and I live in Bonn" stays whole)."""
    if "?" in sentence or "？" in sentence:
        return [sentence]
    plain = straight(sentence)
    parts, rest = [], plain
    while turn := min((*_clauses(rest), *cut_points(rest)), key=lambda one: one.start, default=None):
        parts.append(turn.whole)
        rest = turn.who + rest[turn.end :]
    return [*parts, rest.strip()] if parts else [sentence.strip()]


def _clauses(text: str) -> Iterator[CutPoint]:
    """Splits a text where another clause of the user's begins."""
    for cut in compiled("statements.next").finditer(text):
        part = text[: cut.start()].strip()
        if len(part.split()) >= _LEAST_WORDS and compiled("statements.whole").search(part):
            yield CutPoint(cut.start(), cut.end(), part, "")
