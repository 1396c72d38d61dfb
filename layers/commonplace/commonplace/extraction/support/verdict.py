"""Names, numbers, dates and negations of a memory, held against the words that it rests on."""

from collections.abc import Sequence
from datetime import date

from commonplace.extraction.support.clock import without_clock
from commonplace.extraction.support.dates import Told, dates_meant, written_dates
from commonplace.extraction.support.figures import numbers_in
from commonplace.extraction.support.names import unsupported_name
from commonplace.extraction.support.negation import misnegated
from commonplace.extraction.support.unspaced_names import unsupported_unspaced
from commonplace.third_person.languages import language_of


def unsupported(content: str, evidence: str, others: Sequence[str], said_on: date) -> str | None:
    """Why the content says more than it rests on, for people; None if all its names, numbers, dates and negations stand.

    They may stand in the `evidence` or in `others` (the turn that it answers, the memory that it updates). Numbers may be
    spelled out, dates told by the day on which it was said, names inflected.
    """
    other = "\n".join(others)
    pool = f"{evidence}\n{other}"
    code = language_of(content)
    undated, wrong = _undated(content, pool, said_on)
    if wrong:
        return f"the date {wrong} was not said"
    number = _number(undated, pool, code)
    if number:
        return f"the number {number} was not said"
    name = unsupported_name(undated, pool, code) or unsupported_unspaced(undated, pool, code)
    if name:
        return f"the name {name} was not said"
    return misnegated(content, evidence, other)


def _undated(content: str, pool: str, said_on: date) -> tuple[str, str | None]:
    """The content without its dates, and the first of them that was not said."""
    found = sorted(written_dates(content), key=lambda one: (one[0], -one[1]))
    if not found:
        return content, None
    meant = dates_meant(pool, said_on)
    parts: list[str] = []
    at = 0
    for start, end, told in found:
        if start < at:
            continue
        if not any(told.within(other) for other in meant) and not _piecewise(told, meant, pool):
            return content, content[start:end].strip()
        parts += [content[at:start], " "]
        at = end
    return "".join([*parts, content[at:]]), None


def _piecewise(told: Told, meant: Sequence[Told], pool: str) -> bool:
    """Whether each part that is told stands somewhere: the day in the question, the month in the answer."""
    numbers = {value for _, values in numbers_in(pool) for value in values}
    return all(
        part is None or part in numbers or any(other[at] == part and other.count(None) >= 2 for other in meant)
        for at, part in enumerate(told)
    )


def _number(content: str, pool: str, code: str) -> str | None:
    known = {value for _, values in numbers_in(pool) for value in values}
    for number, values in numbers_in(without_clock(content, pool, known), code):
        if not (values & known or number in pool.casefold()):
            return number
    return None
