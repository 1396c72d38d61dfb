"""Finds evidence in a message, and checks a memory's names, numbers, dates and negations against it."""

from collections.abc import Iterable, Sequence
from datetime import date
from unicodedata import normalize

from commonplace.extraction.clauses import Clause
from commonplace.extraction.days import Utterance
from commonplace.extraction.grounding.dates import PartialDate, dates_meant, written_dates
from commonplace.extraction.grounding.names import unsupported_name, unsupported_unspaced
from commonplace.extraction.grounding.negation import misnegated
from commonplace.extraction.grounding.numbers import numbers_in, without_clock
from commonplace.text.foundation.languages import language_of

_AROUND = " \t\n\"'.…,;:!?()[]*_「」『』“”„«»。、！？"
_ALIKE = {ord(mark): "'" for mark in "‘’ʼ´`"} | {ord(mark): '"' for mark in "“”„«»"} | {ord(mark): "-" for mark in "–—‑−"}


def evidence_span(evidence: str, utterance: Utterance) -> tuple[int, int] | None:
    """The span of the evidence in `utterance.text`, within one span of own words; None if there is none.

    Capitals, width, blanks, the kind of quotation mark or dash, and marks around the evidence make no difference; part
    of a word is not found.
    """
    sought, _ = _normalized_with_places(evidence.strip(_AROUND))
    sought = sought.strip()
    if not any(map(str.isalnum, sought)):
        return None
    for start, end in utterance.own:
        text, places = _normalized_with_places(utterance.text[start:end])
        at = text.find(sought)
        while at >= 0:
            behind = at + len(sought)
            if not (_inside_word(text, at) or _inside_word(text, behind)):
                return start + places[at], start + places[behind - 1] + 1
            at = text.find(sought, at + 1)
    return None


def clauses_around(evidence: str, utterance: Utterance, clauses: Iterable[Clause]) -> list[Clause]:
    """The clauses that the evidence lies in; none where it is not in own words."""
    span = evidence_span(evidence, utterance)
    return [one for one in clauses if span and one.start < span[1] and span[0] < one.end]


def _normalized_with_places(text: str) -> tuple[str, list[int]]:
    """The text normalized for comparison, and the original place of each character."""
    found: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        plain = " " if char.isspace() else normalize("NFKC", char).translate(_ALIKE).casefold()
        if plain == " " and found[-1:] == [" "]:
            continue
        found += plain
        places += [place] * len(plain)
    return "".join(found), places


def _inside_word(text: str, at: int) -> bool:
    """Whether a place is inside a word of a script with spaces."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isalnum() and all(char < "\u0e00" for char in around)


def unsupported(content: str, evidence: str, others: Sequence[str], said_on: date) -> str | None:
    """Why the content says more than its evidence; None if all its names, numbers, dates and negations are supported.

    They may stand in the `evidence` or in `others` (the turn that it answers, the memory that it updates). Numbers may be
    spelled out, dates told by the day on which it was said, names inflected.
    """
    other = "\n".join(others)
    pool = f"{evidence}\n{other}"
    code = language_of(content)
    undated, wrong = _without_dates(content, pool, said_on)
    if wrong:
        return f"the date {wrong} was not said"
    number = _number(undated, pool, code)
    if number:
        return f"the number {number} was not said"
    name = unsupported_name(undated, pool, code) or unsupported_unspaced(undated, pool, code)
    if name:
        return f"the name {name} was not said"
    return misnegated(content, evidence, other)


def _without_dates(content: str, pool: str, said_on: date) -> tuple[str, str | None]:
    """The content without its dates, and the first date that was not said."""
    found = sorted(written_dates(content), key=lambda one: (one[0], -one[1]))
    if not found:
        return content, None
    meant = dates_meant(pool, said_on)
    parts: list[str] = []
    at = 0
    for start, end, partial in found:
        if start < at:
            continue
        if not any(partial.is_part_of(other) for other in meant) and not _parts_are_told(partial, meant, pool):
            return content, content[start:end].strip()
        parts += [content[at:start], " "]
        at = end
    return "".join([*parts, content[at:]]), None


def _parts_are_told(partial: PartialDate, meant: Sequence[PartialDate], pool: str) -> bool:
    """Whether each part of a date is told somewhere: the day in the question, the month in the answer."""
    numbers = {value for _, values in numbers_in(pool) for value in values}
    return all(
        part is None or part in numbers or any(other[at] == part and other.count(None) >= 2 for other in meant)
        for at, part in enumerate(partial)
    )


def _number(content: str, pool: str, code: str) -> str | None:
    known = {value for _, values in numbers_in(pool) for value in values}
    for number, values in numbers_in(without_clock(content, pool, known), code):
        if not (values & known or number in pool.casefold()):
            return number
    return None
