"""What a message says that is worth a memory: its clauses that pass, joined, with the question that they answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from commonplace import analyzer
from commonplace.extraction.answering import asked_of_the_user, is_answer, is_echo
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.clauses import LONGEST_EVIDENCE, STOPS, Clause, clauses
from commonplace.extraction.corrections import is_correction
from commonplace.extraction.day import Utterance
from commonplace.extraction.third_parties import is_about_an_outsider, is_about_the_users_own
from commonplace.extraction.wordings import says, wording
from commonplace.extraction.worth import NOT_WORTH, is_wish, judged
from commonplace.ports import Embedder

MOST_JOINED = 3
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")
_OPENING = (":", "：", '"', "“", "„", "«", "「")


@dataclass(frozen=True)
class Said:
    """A unit of a message. `question`: what it answers; `asked_for`: the user wants it remembered."""

    utterance: Utterance
    clauses: tuple[Clause, ...]
    question: str | None = None
    asked_for: bool = False

    @property
    def content(self) -> str:
        """The clauses as one text, behind the question."""
        unspaced = all(_UNSPACED.search(clause.text) for clause in self.clauses)
        stop, gap = ("。", "") if unspaced else (".", " ")
        texts = [clause.text for clause in self.clauses]
        alone = gap.join(text if text.endswith(STOPS) else text + stop for text in texts) if len(texts) > 1 else texts[0]
        return f"{self.question} {alone}" if self.question else alone

    @property
    def evidence(self) -> str:
        """The span of the message from the first clause to the last."""
        return self.utterance.text[self.clauses[0].start : self.clauses[-1].end][:LONGEST_EVIDENCE]


@dataclass
class Heard:
    """What was made of a message: its units, and the clauses left out with the reason."""

    said: list[Said] = field(default_factory=list)
    refused: list[tuple[Clause, str]] = field(default_factory=list)


@dataclass(frozen=True)
class _Passed:
    """A clause that may be joined."""

    clause: Clause
    asked_for: bool = False


def heard(utterance: Utterance, before: Utterance | None, words: Embedder, least: float, family: frozenset[str]) -> Heard:
    """Reads one message of the user. `before`: the message it may answer; `least`: the worth from which a clause counts."""
    found = Heard()
    question = asked_of_the_user(before)
    told = clauses(utterance)
    if question and told and is_answer(told[0], len(told) == 1, family):
        found.said.append(Said(utterance, (told.pop(0),), question, utterance.explicit))
    passed: list[_Passed | None] = []
    stranger = False
    last: Clause | None = None  # left out, but what comes next may lean on it
    for clause in told:
        one, wanted = _reminded(clause)
        judgement = judged(one, words, least, asked_for=wanted or utterance.explicit, family=family)
        why = judgement.refused
        if stranger and not is_about_the_users_own(one.text, family):
            why = why or "of somebody told of before"
        if why is None and not wanted and (is_echo(one, before) or _announces(utterance, one)):
            why = NOT_WORTH
        if why is None and last is not None and _depends(one):
            passed.append(_Passed(last))
        passed.append(_Passed(one, wanted or utterance.explicit) if why is None else None)
        if why != NOT_WORTH or analyzer.terms(one.text):
            last = one if why == NOT_WORTH else None
        if why:
            found.refused.append((one, why))
        stranger = why is not None and (stranger or is_about_an_outsider(one.text))
    found.said += _joined(utterance, passed, question)
    return found


def _announces(utterance: Utterance, clause: Clause) -> bool:
    """Whether foreign words come right behind it ("my script: …", "my mum always says “…”")."""
    last = any(clause.end <= end <= clause.end + 1 for _, end in utterance.own)
    return last and utterance.text[clause.end :].lstrip().startswith(_OPENING)


def _reminded(clause: Clause) -> tuple[Clause, bool]:
    """The clause without its "remember that", and whether it had one."""
    plain = clause.text.replace("’", "'")
    before, behind = wording("remember").match(plain), wording("remember_behind").search(plain)
    text = clause.text[before.end() if before else 0 : behind.start() if behind else len(plain)].strip()
    if not (before or behind) or not analyzer.terms(text):
        return clause, False
    at = clause.start + clause.text.index(text)
    return Clause(text, at, at + len(text)), True


def _depends(clause: Clause) -> bool:
    """Whether it needs the clause before it to be understood."""
    return says("pronoun", clause.text) or (is_correction(clause.text) and attribute_of(clause.text) is None)


def _joined(utterance: Utterance, passed: Sequence[_Passed | None], question: str | None) -> Iterator[Said]:
    """Units of at most three clauses side by side, in one span of evidence, wishes apart from facts; None parts them."""
    unit: list[_Passed] = []
    for one in (*passed, None):
        if unit and (one is None or not _fits(utterance, unit, one)):
            yield _unit(utterance, unit, question)
            unit = []
        if one is not None:
            unit.append(one)


def _unit(utterance: Utterance, unit: Sequence[_Passed], question: str | None) -> Said:
    made = Said(utterance, tuple(one.clause for one in unit), asked_for=any(one.asked_for for one in unit))
    return replace(made, question=question) if says("pronoun", made.clauses[0].text) else made


def _fits(utterance: Utterance, unit: Sequence[_Passed], one: _Passed) -> bool:
    first = unit[0].clause.start
    together = any(start <= first and one.clause.end <= end for start, end in utterance.own)
    alike = is_wish(one.clause.text) == is_wish(unit[-1].clause.text)
    return together and alike and len(unit) < MOST_JOINED and one.clause.end - first <= LONGEST_EVIDENCE
