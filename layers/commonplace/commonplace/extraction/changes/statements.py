"""Split a text into single statements. A sentence is also split before another verb ("... and have a cat")."""

import functools
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from commonplace.extraction.clauses import sentences
from commonplace.extraction.content_words import stems_of
from commonplace.extraction.patterns import compiled, wording_pattern
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import read_table
from commonplace.text.foundation.intent_cues import is_question
from commonplace.text.foundation.sentences import STOPS

_LEAST_BEFORE_VERB = 3
_TOPIC = re.compile(r"^[^、。は]{1,12}は")
_WHOLE_FORM = {"ていて": "ています", "でいて": "でいます", "で": "です"}

_LEAST_WORDS = 2


@dataclass(frozen=True)
class CutPoint:
    """A split point in a text. `whole` is the statement before `start`. The rest begins at `end` and gets the `subject`."""

    start: int
    end: int
    whole: str
    subject: str


@dataclass(frozen=True)
class _LanguageRow:
    next: re.Pattern[str]
    subject_pattern: re.Pattern[str]
    never: re.Pattern[str] | None
    says: str | None

    def subject(self, part: str) -> str | None:
        """Return the subject that the rest of a split sentence needs, or None if it is ambiguous."""
        match = self.subject_pattern.search(part)
        if match is None or (self.never and self.never.search(part)):
            return None
        return self.says if self.says is not None else next(filter(None, match.groups()), None)


def cut_points(text: str) -> Iterator[CutPoint]:
    """Yield all points at which a text may be split, unsorted."""
    for row in _load_language_rows():
        for cut in row.next.finditer(text):
            part = text[: cut.start()].strip()
            subject = row.subject(part) if len(part.split()) >= _LEAST_BEFORE_VERB or "'m " in part else None
            if subject is not None:
                yield CutPoint(cut.start(), cut.end(), part, f"{subject.strip()} " if subject else "")
    yield from _find_cuts_before_pronouns(text)
    yield from _find_cuts_in_japanese(text)


def _find_cuts_before_pronouns(text: str) -> Iterator[CutPoint]:
    """Yield the points before "she", "he", "her" or "his" if exactly one member of the household is mentioned earlier."""
    for pattern, ending in (("he_or_she", ""), ("hers", "'s")):
        for cut in compiled(f"statements.{pattern}").finditer(text):
            part = text[: cut.start()].strip()
            named = list(wording_pattern("household").finditer(part))
            if len(named) == 1 and named[0].start() == 0:
                yield CutPoint(cut.start(), cut.end(), part, named[0][0] + ending)


def _find_cuts_in_japanese(text: str) -> Iterator[CutPoint]:
    """Yield the points after a Japanese clause in a connecting form. The next clause inherits the topic."""
    for cut in compiled("statements.te").finditer(text):
        part, topic = text[: cut.start()], _TOPIC.match(text[: cut.start()])
        if cut["form"] != "で" or topic:
            subject = topic[0] if topic and not _TOPIC.match(text[cut.end() :]) else ""
            yield CutPoint(cut.start(), cut.end(), f"{part}{_WHOLE_FORM.get(cut['form'], '')}。", subject)


@functools.cache
def _load_language_rows() -> tuple[_LanguageRow, ...]:
    table = read_table(__package__, "continuations.toml")

    def compiled(row: dict[str, str], key: str) -> re.Pattern[str]:
        return re.compile(row[key].replace("{verbs}", row["verbs"]), re.IGNORECASE)

    return tuple(
        _LanguageRow(
            compiled(row, "next"), compiled(row, "who"), compiled(row, "never") if "never" in row else None, row.get("says")
        )
        for row in table["rows"]
    )


@functools.lru_cache(maxsize=1024)
def memory_sentences(text: str) -> tuple[str, ...]:
    """Return the sentences in a memory's content. A question and its answer count as one sentence."""
    return (text,) if is_question(text) else tuple(sentence.text for sentence in sentences(text))


@functools.lru_cache(maxsize=1024)
def statements(text: str) -> tuple[str, ...]:
    """Return the single statements in a text. "I'm vegan and I love Thai food" contains two statements."""
    return tuple(part for sentence in memory_sentences(text) for part in _split_statements(sentence))


def without_statements(text: str, gone: Collection[str]) -> list[str]:
    """Return the sentences in a text without the statements in `gone`. A sentence that loses a statement is split."""
    staying: list[str] = []
    for sentence in memory_sentences(text):
        parts = _split_statements(sentence)
        left = [part for part in parts if part not in gone]
        staying += [sentence] if left == parts else left
    return staying


def true_details(old: str, new: str) -> list[str]:
    """Return the companions, pets and profession that are in `old` but not mentioned in `new`.

    These details probably still hold. A user who moves may take their dog, and a nurse who leaves Valencia is still a nurse.
    """
    details = [match[0] for match in compiled("statements.beside").finditer(old) if not stems_of(match[0]) & stems_of(new)]
    being = None if compiled("statements.being").search(new) else compiled("statements.being").search(straight(old))
    details += [being["being"]] if being and not stems_of(being["being"]) & stems_of(new) else []
    return [detail[0].upper() + detail[1:] for detail in details]


def joined(texts: Collection[str]) -> str:
    """Join statements into one text without repetitions."""
    return " ".join(text if text.endswith(STOPS) else f"{text}." for text in dict.fromkeys(texts))


def _split_statements(sentence: str) -> list[str]:
    """Split a sentence where another statement begins. "My wife and I live in Bonn" stays whole."""
    if is_question(sentence):
        return [sentence]
    plain = straight(sentence)
    parts, remaining = [], plain
    while cut := min((*_find_clause_cuts(remaining), *cut_points(remaining)), key=lambda point: point.start, default=None):
        parts.append(cut.whole)
        remaining = cut.subject + remaining[cut.end :]
    return [*parts, remaining.strip()] if parts else [sentence.strip()]


def _find_clause_cuts(text: str) -> Iterator[CutPoint]:
    """Yield the points at which another clause about the user begins."""
    for cut in compiled("statements.next").finditer(text):
        part = text[: cut.start()].strip()
        if len(part.split()) >= _LEAST_WORDS and compiled("statements.whole").search(part):
            yield CutPoint(cut.start(), cut.end(), part, "")
