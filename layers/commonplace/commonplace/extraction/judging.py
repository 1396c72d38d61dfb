"""Which clauses of a message are memories, and why the others are none."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace import analyzer
from commonplace.extraction.answering import is_echo
from commonplace.extraction.clauses import Clause, openings
from commonplace.extraction.day import Utterance
from commonplace.extraction.third_parties import OF_SOMEBODY_ELSE, is_about_an_outsider, is_about_the_users_own
from commonplace.extraction.wordings import wording
from commonplace.extraction.worth import ASKED, NOT_WORTH, judged, refused
from commonplace.ports import Embedder

_PARTLY = (ASKED, OF_SOMEBODY_ELSE)
"""For these reasons a sentence may be kept up to a comma: before a question, or before what is somebody else's."""
_ANNOUNCING = (":", "：", '"', "“", "„", "«", "「")


@dataclass(frozen=True)
class Judged:
    """A clause, why it is no memory (None: it is one), and whether the user wants it remembered."""

    clause: Clause
    why: str | None
    asked_for: bool = False
    partly: bool = False
    """Only its beginning is one."""


def judged_clauses(
    utterance: Utterance,
    told: Sequence[Clause],
    before: Utterance | None,
    words: Embedder,
    least: float,
    family: frozenset[str],
) -> list[Judged]:
    """Judges the clauses of a message in order. `before`: the message it may answer; `least`: the worth that counts."""
    found: list[Judged] = []
    stranger = False  # somebody outside the household was told of, and is meant by the next "he"
    for clause in told:
        one = _judged(utterance, clause, words, least, family)
        if one.why is None and stranger and not is_about_the_users_own(one.clause.text, family):
            one = Judged(one.clause, "of somebody told of before")
        if one.why is None and not one.asked_for and (is_echo(one.clause, before) or _announces(utterance, one.clause)):
            one = Judged(one.clause, NOT_WORTH)
        found.append(one)
        stranger = (one.why is not None or one.partly) and (stranger or is_about_an_outsider(clause.text))
    return found


def _judged(utterance: Utterance, clause: Clause, words: Embedder, least: float, family: frozenset[str]) -> Judged:
    """The clause, or as much of its beginning as may be kept."""
    told, wanted = _reminded(clause)
    asked_for = wanted or utterance.explicit

    def judge(part: Clause) -> Judged:
        why = refused(part, judged(part.text, words), least, asked_for=asked_for, family=family)
        return Judged(part, why, asked_for, partly=part is not told)

    whole = judge(told)
    if whole.why not in _PARTLY:
        return whole
    return next((one for one in map(judge, openings(told)) if one.why is None), whole)


def _announces(utterance: Utterance, clause: Clause) -> bool:
    """Whether foreign words come right behind it ("my script: …", "my mum always says “…”")."""
    last = any(clause.end <= end <= clause.end + 1 for _, end in utterance.own)
    return last and utterance.text[clause.end :].lstrip().startswith(_ANNOUNCING)


def _reminded(clause: Clause) -> tuple[Clause, bool]:
    """The clause without its "remember that", and whether it had one."""
    plain = clause.text.replace("’", "'")
    before, behind = wording("remember").match(plain), wording("remember_behind").search(plain)
    text = clause.text[before.end() if before else 0 : behind.start() if behind else len(plain)].strip()
    if not (before or behind) or not analyzer.terms(text):
        return clause, False
    at = clause.start + clause.text.index(text)
    return Clause(text, at, at + len(text)), True
