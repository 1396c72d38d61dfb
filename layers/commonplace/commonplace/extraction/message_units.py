"""Select the clauses in a message that are worth storing, and join them into units. Each unit becomes a candidate."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.corrections import is_correction
from commonplace.extraction.clauses import LONGEST_EVIDENCE, Clause, clauses, openings, without_request
from commonplace.extraction.days import Utterance
from commonplace.extraction.dialogue import is_answer, only_repeats, question_to_user
from commonplace.extraction.patterns import has_wording
from commonplace.extraction.third_parties import OF_SOMEBODY_ELSE, is_about_an_outsider, is_about_the_users_own
from commonplace.extraction.worthiness import ASKING, NOT_WORTH, SECRET, is_instruction, judge, unworthy_reason, wished_parts
from commonplace.ports.models import Embedder
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import has_kana_or_han
from commonplace.text.foundation.sentences import STOPS

_PARTLY = (ASKING, OF_SOMEBODY_ELSE)
"""The reasons for which a sentence may be dropped although its beginning can be kept."""
_ANNOUNCING = (":", "：", '"', "“", "„", "«", "「")
MOST_JOINED = 3


@dataclass(frozen=True)
class JudgedClause:
    """A judged clause. `why` is the reason to drop it, or None. `requested` is True if the user wants it remembered."""

    clause: Clause
    why: str | None
    requested: bool = False
    partly: bool = False
    """Whether this is only part of the clause that was judged."""


def judged_clauses(
    utterance: Utterance,
    message_clauses: Sequence[Clause],
    before: Utterance | None,
    words: Embedder,
    least: float,
    family: frozenset[str],
) -> list[JudgedClause]:
    """Judge the clauses in a message, in order. `before` is the previous message, and `least` the minimum worth (0 to 1)."""
    clauses: list[JudgedClause] = []
    stranger = False  # a person outside the household was mentioned, so the next "he" refers to them
    for clause in message_clauses:
        for item in _judge_clause(utterance, clause, words, least, family):
            if item.why is None and stranger and not is_about_the_users_own(item.clause.text, family):
                item = JudgedClause(item.clause, "of somebody told of before")
            is_kept = item.why is None and not item.requested
            if is_kept and (only_repeats(item.clause, before) or _is_before_foreign_text(utterance, item.clause)):
                item = JudgedClause(item.clause, NOT_WORTH)
            clauses.append(item)
            stranger = (item.why is not None or item.partly) and (stranger or is_about_an_outsider(clause.text))
    return clauses


def _judge_clause(
    utterance: Utterance, clause: Clause, words: Embedder, least: float, family: frozenset[str]
) -> list[JudgedClause]:
    """Judge a clause. If it fails, judge its beginnings, longest first, or the parts of a request that contains a secret."""
    content, wanted = without_request(clause)
    is_wanted = wanted or utterance.explicit

    def judged(part: Clause, is_wanted: bool = is_wanted) -> JudgedClause:
        why = unworthy_reason(part, judge(part.text, words), least, is_wanted=is_wanted, family=family)
        return JudgedClause(part, why, is_wanted, partly=part is not content)

    whole = judged(content)
    if whole.why == SECRET:
        judged_parts = [judged(part, is_wanted=True) for part in wished_parts(content, is_wanted)]
        clauses = [clause for clause in judged_parts if clause.why in (None, SECRET)]
        return clauses if any(clause.why for clause in clauses) else [whole, *clauses]
    if whole.why not in _PARTLY:
        return [whole]
    return [next((clause for clause in map(judged, openings(content)) if clause.why is None), whole)]


def _is_before_foreign_text(utterance: Utterance, clause: Clause) -> bool:
    """Return whether foreign text directly follows a clause ("my script: …", "my mum always says “…”")."""
    last = any(clause.end <= end <= clause.end + 1 for _, end in utterance.own)
    return last and utterance.text[clause.end :].lstrip().startswith(_ANNOUNCING)


@dataclass(frozen=True)
class MessageUnit:
    """Adjacent clauses that become one memory. `question` is a question by the assistant to which the clauses refer."""

    utterance: Utterance
    clauses: tuple[Clause, ...]
    question: str | None = None
    requested: bool = False

    @property
    def content(self) -> str:
        """The clauses as one text, after the question."""
        unspaced = all(has_kana_or_han(clause.text) for clause in self.clauses)
        stop, gap = ("。", "") if unspaced else (".", " ")
        texts = [clause.text for clause in self.clauses]
        alone = gap.join(text if text.endswith(STOPS) else text + stop for text in texts) if len(texts) > 1 else texts[0]
        return f"{self.question} {alone}" if self.question else alone

    @property
    def evidence(self) -> str:
        """The text of the message from the first clause to the last one."""
        return self.utterance.text[self.clauses[0].start : self.clauses[-1].end][:LONGEST_EVIDENCE]


@dataclass
class ReadMessage:
    """The units in a message. `refused` contains the other clauses, each with the reason for not storing it."""

    units: list[MessageUnit] = field(default_factory=list)
    refused: list[tuple[Clause, str]] = field(default_factory=list)


def read_message(
    utterance: Utterance, before: Utterance | None, words: Embedder, least: float, family: frozenset[str]
) -> ReadMessage:
    """Read one message from the user. `before` is the previous message. `least` is the minimum worth of a clause."""
    message = ReadMessage()
    question = question_to_user(before)
    message_clauses = list(clauses(utterance))
    if question and message_clauses and is_answer(message_clauses[0], len(message_clauses) == 1, family):
        message.units.append(MessageUnit(utterance, (message_clauses.pop(0),), question, utterance.explicit))
    judged = judged_clauses(utterance, message_clauses, before, words, least, family)
    message.refused += [(clause.clause, clause.why) for clause in judged if clause.why]
    message.units += _join_units(utterance, _retain_neighbours(judged), question)
    return message


def _retain_neighbours(judged: Sequence[JudgedClause]) -> list[JudgedClause | None]:
    """Return the clauses to keep, with None for dropped ones. A clause is also kept if the next one refers to it."""
    worthy = {at for at, clause in enumerate(judged) if clause.why is None}
    for at in sorted(worthy):
        text = judged[at].clause.text
        leans = has_wording("pronoun", text) or (is_correction(text) and attribute_of(text) is None)
        before = next((back for back in range(at - 1, -1, -1) if tokenizer.terms(judged[back].clause.text)), None)
        if leans and before is not None and judged[before].why == NOT_WORTH:
            worthy |= set(range(before, at))
    return [clause if at in worthy else None for at, clause in enumerate(judged)]


def _join_units(utterance: Utterance, passed: Sequence[JudgedClause | None], question: str | None) -> Iterator[MessageUnit]:
    """Yield units of up to three adjacent clauses, either all instructions or all facts. A dropped clause ends a unit."""
    unit: list[JudgedClause] = []
    for clause in (*passed, None):
        if unit and (clause is None or not _can_join_unit(utterance, unit, clause)):
            joined = tuple(part.clause for part in unit)
            needed_question = question if has_wording("pronoun", joined[0].text) else None
            yield MessageUnit(utterance, joined, needed_question, any(part.requested for part in unit))
            unit = []
        if clause is not None:
            unit.append(clause)


def _can_join_unit(utterance: Utterance, unit: Sequence[JudgedClause], clause: JudgedClause) -> bool:
    """Return whether a clause can join a unit: in the same own words, of the same kind, and within the length limits."""
    first = unit[0].clause.start
    together = any(start <= first and clause.clause.end <= end for start, end in utterance.own)
    alike = is_instruction(clause.clause.text) == is_instruction(unit[-1].clause.text)
    return together and alike and len(unit) < MOST_JOINED and clause.clause.end - first <= LONGEST_EVIDENCE
