"""What a message says that is worth a memory: its clauses that pass, joined, with the question that they answer."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from commonplace import analyzer
from commonplace.extraction.answering import asked_of_the_user, is_answer
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.clauses import LONGEST_EVIDENCE, STOPS, Clause, clauses
from commonplace.extraction.corrections import is_correction
from commonplace.extraction.day import Utterance
from commonplace.extraction.judging import Judged, judged_clauses
from commonplace.extraction.wordings import says
from commonplace.extraction.worth import NOT_WORTH, is_wish
from commonplace.ports import Embedder

MOST_JOINED = 3
_UNSPACED = re.compile(r"[\u3041-\u30ff\u3400-\u9fff]")


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


def heard(utterance: Utterance, before: Utterance | None, words: Embedder, least: float, family: frozenset[str]) -> Heard:
    """Reads one message of the user. `before`: the message it may answer; `least`: the worth from which a clause counts."""
    found = Heard()
    question = asked_of_the_user(before)
    told = clauses(utterance)
    if question and told and is_answer(told[0], len(told) == 1, family):
        found.said.append(Said(utterance, (told.pop(0),), question, utterance.explicit))
    judged = judged_clauses(utterance, told, before, words, least, family)
    found.refused += [(one.clause, one.why) for one in judged if one.why]
    found.said += _joined(utterance, _with_neighbours(judged), question)
    return found


def _with_neighbours(judged: Sequence[Judged]) -> list[Judged | None]:
    """What passed, with the clause before it where it can't be understood without; None for what is left out."""
    kept = {at for at, one in enumerate(judged) if one.why is None}
    for at in sorted(kept):
        before = next((back for back in range(at - 1, -1, -1) if analyzer.terms(judged[back].clause.text)), None)
        if before is not None and _depends(judged[at].clause) and judged[before].why == NOT_WORTH:
            kept |= set(range(before, at))
    return [one if at in kept else None for at, one in enumerate(judged)]


def _depends(clause: Clause) -> bool:
    """Whether it needs the clause before it to be understood."""
    return says("pronoun", clause.text) or (is_correction(clause.text) and attribute_of(clause.text) is None)


def _joined(utterance: Utterance, passed: Sequence[Judged | None], question: str | None) -> Iterator[Said]:
    """Units of at most three clauses side by side, in one span of evidence, wishes apart from facts; None parts them."""
    unit: list[Judged] = []
    for one in (*passed, None):
        if unit and (one is None or not _fits(utterance, unit, one)):
            yield _unit(utterance, unit, question)
            unit = []
        if one is not None:
            unit.append(one)


def _unit(utterance: Utterance, unit: Sequence[Judged], question: str | None) -> Said:
    made = Said(utterance, tuple(one.clause for one in unit), asked_for=any(one.asked_for for one in unit))
    return replace(made, question=question) if says("pronoun", made.clauses[0].text) else made


def _fits(utterance: Utterance, unit: Sequence[Judged], one: Judged) -> bool:
    first = unit[0].clause.start
    together = any(start <= first and one.clause.end <= end for start, end in utterance.own)
    alike = is_wish(one.clause.text) == is_wish(unit[-1].clause.text)
    return together and alike and len(unit) < MOST_JOINED and one.clause.end - first <= LONGEST_EVIDENCE
