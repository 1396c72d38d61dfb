"""Read a day by rules, with the classifier and duplicate analysis but without a language model."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from commonplace.domain.runs import Dropped
from commonplace.extraction.absolute_dates import with_dates
from commonplace.extraction.candidate import Candidate, ExtractedType, MemoryView, Reading
from commonplace.extraction.changes.corrections import corrected_sentence, is_correction, lacks_subject, replaced_value
from commonplace.extraction.clauses import LONGEST_EVIDENCE, clauses, sentences
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.decisions import decide
from commonplace.extraction.dialogue import RolePlay
from commonplace.extraction.forgetting.matching import is_about
from commonplace.extraction.forgetting.requests import forget_requests, without_forget_requests
from commonplace.extraction.gates import forget_candidate
from commonplace.extraction.interests import interests, title_notes
from commonplace.extraction.message_units import MessageUnit, read_message
from commonplace.extraction.patterns import has_wording
from commonplace.extraction.third_parties import household_names
from commonplace.extraction.worthiness import ASKING, NOT_WORTH, PASSING, ROLE_PLAY, is_instruction
from commonplace.ports.models import Embedder

Refused = Callable[[Utterance, str, str], None]
LEAST_WORTH = 0.6
_EXPLICIT, _STATED, _PATTERN, _WEAK = 0.95, 0.9, 0.8, 0.6
_UNTOLD = (NOT_WORTH, ASKING, PASSING)
"""Reasons that are reported only for explicit requests, because they apply to most of a day's messages."""
_SIMILAR = 20
_NO_TARGET = "asks to forget, and doesn't tell what; commonplace erase takes everything away"
_NOT_READ = "asks to forget in a language whose wishes are not read; commonplace erase takes everything away"
_WITH_IT = "said in one breath with a wish to forget"
_NOT_ADDRESSED = "sounds like a wish to forget, and may mean what is talked about"


class RulesReader:
    """A reader that needs no language model. `least_worth` is the minimum worth, from 0 to 1, of a clause to store.

    For each clause that is not stored, `refused` is called with the message, the text and the reason.
    """

    def __init__(self, words: Embedder, least_worth: float = LEAST_WORTH, refused: Refused | None = None) -> None:
        self._words = words
        self._least = least_worth
        self._refused = refused

    def read(self, day: Day, view: MemoryView) -> Reading:
        """Read a day and return its decisions. This reader never leaves messages unread."""
        reading = _DayReading(day, view, self._words, self._least, self._refused)
        stage = RolePlay(self._words)
        for utterance in day.utterances:
            if utterance.role == "user" and utterance.own:
                reading.read_message(utterance, stage.without_roles(utterance))
        earlier = {memory.memory_id: memory for title in day.titles for memory in view.similar(title.title, _SIMILAR)}
        candidates = [*reading.candidates, *title_notes(day.titles), *interests(day.titles, earlier.values())]
        now = max((candidate.event_time for candidate in candidates if candidate.event_time), default=None)
        decisions = decide(candidates, view, now) if now else []
        return Reading(tuple(decisions), tuple(reading.dropped), candidates=len(candidates) + len(reading.dropped))


@dataclass
class _DayReading:
    """The candidates found in a day so far, and the dropped clauses."""

    day: Day
    view: MemoryView
    words: Embedder
    least: float
    refused: Refused | None
    candidates: list[Candidate] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.family = household_names(utterance.own_words for utterance in self.day.utterances)

    def read_message(self, whole: Utterance, utterance: Utterance) -> None:
        """Read one message from the user. `utterance` is the `whole` message without role-play."""
        if utterance != whole:
            self.dropped.append(_build_dropped(whole, ROLE_PLAY))
        utterance = self._serve_forget_requests(utterance)
        message = read_message(utterance, self.day.before(utterance), self.words, self.least, self.family)
        for unit in message.units:
            alone = len(unit.clauses) == 1 and unit.question is None
            fixed = self._apply_correction(utterance, unit.clauses[0].text) if alone else None
            self.candidates.append(fixed or self._build_candidate(unit))
        for clause, why in message.refused:
            fixed = self._apply_correction(utterance, clause.text) if why in _UNTOLD else None
            if fixed is None and self.refused is not None:
                self.refused(utterance, clause.text, why)
            if fixed:
                self.candidates.append(fixed)
            elif utterance.explicit or why not in _UNTOLD:
                self.dropped.append(_build_dropped(utterance, why))

    def _serve_forget_requests(self, utterance: Utterance) -> Utterance:
        """Add the forget requests in a message as candidates. Returns the message without the requests."""
        requests = forget_requests(utterance, self.day.before(utterance))
        for request in requests:
            if request.can_be_served:
                self.candidates.append(forget_candidate(request, utterance))
            else:
                is_unread = has_wording("forget_unread", request.clause.text)
                why = _NOT_READ if is_unread else _NO_TARGET if request.meant else _NOT_ADDRESSED
                self.dropped.append(_build_dropped(utterance, why))
        remainder = without_forget_requests(utterance, requests)
        if len(clauses(remainder)) < len(clauses(utterance)) - len({request.clause for request in requests}):
            self.dropped.append(_build_dropped(utterance, _WITH_IT))
        return remainder

    def _build_candidate(self, unit: MessageUnit) -> Candidate:
        content = with_dates(unit.content, unit.utterance.time)
        kind: ExtractedType | None = "meta" if is_instruction(unit.content) else None
        corrects = is_correction(unit.content)
        return _build_candidate_at(unit.utterance, content, unit.evidence, _rate_unit(unit), type=kind, corrects=corrects)

    def _apply_correction(self, utterance: Utterance, text: str) -> Candidate | None:
        """Apply a correction that mentions no subject ("I was wrong, it's the 14th") to an earlier sentence, if one fits."""
        if not lacks_subject(text) or not is_correction(text):
            return None
        for old in self._find_context(utterance, text):
            new = corrected_sentence(text, old)
            if new not in (old, text):
                return _build_candidate_at(utterance, with_dates(new, utterance.time), text, _STATED, corrects=True)
        return None

    def _find_context(self, utterance: Utterance, text: str) -> Iterator[str]:
        """Yield the sentences that a correction may refer to. Those in the same interaction come before those in memories."""
        for candidate in reversed(self.candidates):
            if candidate.interaction_id == utterance.interaction_id:
                yield from (clause.text for clause in sentences(candidate.content))
        pair = replaced_value(text)
        if pair:
            for memory in self.view.similar(pair[0], _SIMILAR):
                yield from (clause.text for clause in sentences(memory.content) if is_about(pair[0], clause.text))


def _build_dropped(utterance: Utterance, why: str) -> Dropped:
    return Dropped(interaction_id=utterance.interaction_id, position=utterance.position, why=why)


def _build_candidate_at(utterance: Utterance, content: str, evidence: str, confidence: float, **more: Any) -> Candidate:
    return Candidate(
        content=content,
        interaction_id=utterance.interaction_id,
        position=utterance.position,
        evidence=evidence[:LONGEST_EVIDENCE],
        confidence=confidence,
        event_time=utterance.time,
        **more,
    )


def _rate_unit(unit: MessageUnit) -> float:
    """Return the confidence in a unit, which is highest for a request to remember and lowest for weak wording."""
    if unit.requested:
        return _EXPLICIT
    if has_wording("weak", unit.content):
        return _WEAK
    return _STATED if unit.question is None else _PATTERN
