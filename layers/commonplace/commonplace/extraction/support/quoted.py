"""Where in a message a piece of evidence stands."""

from collections.abc import Iterable
from unicodedata import normalize

from commonplace.extraction.clauses import Clause
from commonplace.extraction.day import Utterance

_AROUND = " \t\n\"'.…,;:!?()[]*_「」『』“”„«»。、！？"
_ALIKE = {ord(mark): "'" for mark in "‘’ʼ´`"} | {ord(mark): '"' for mark in "“”„«»"} | {ord(mark): "-" for mark in "–—‑−"}


def in_own_words(evidence: str, utterance: Utterance) -> tuple[int, int] | None:
    """The span of `utterance.text` in which the evidence stands, within one span of own words; None if there is none.

    Capitals, width, blanks, the kind of quotation mark or dash, and marks around the evidence make no difference; part
    of a word is not found.
    """
    sought, _ = _plain(evidence.strip(_AROUND))
    sought = sought.strip()
    if not any(map(str.isalnum, sought)):
        return None
    for start, end in utterance.own:
        text, places = _plain(utterance.text[start:end])
        at = text.find(sought)
        while at >= 0:
            behind = at + len(sought)
            if not (_inside_word(text, at) or _inside_word(text, behind)):
                return start + places[at], start + places[behind - 1] + 1
            at = text.find(sought, at + 1)
    return None


def clauses_around(evidence: str, utterance: Utterance, clauses: Iterable[Clause]) -> list[Clause]:
    """Those of a message's clauses that the evidence lies in; none where it is not in own words."""
    span = in_own_words(evidence, utterance)
    return [one for one in clauses if span and one.start < span[1] and span[0] < one.end]


def _plain(text: str) -> tuple[str, list[int]]:
    """The text for comparing, and for each of its characters the place it comes from."""
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
    """Whether a spaced script goes on there."""
    around = text[at - 1 : at + 1] if at else ""
    return len(around) == 2 and around.isalnum() and all(char < "\u0e00" for char in around)
