"""What is to be done about candidates by rules: nothing closes a memory but its correction, its end or its changed value."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from commonplace import analyzer
from commonplace.extraction.candidate import Candidate, Decision, Shelf
from commonplace.extraction.clauses import sentences
from commonplace.extraction.contradictions import CHANGED, contradicts
from commonplace.extraction.corrections import corrected
from commonplace.extraction.forgetting import says_it, tells
from commonplace.extraction.repeats import says_the_same
from commonplace.extraction.stems import shared, stems_of
from commonplace.models.memory import Memory

_SIMILAR, _FORGETTABLE = 10, 50
_WEAK, _CONFIDENT = 0.5, 0.7
_ALIKE = 0.5


def decide(candidates: Sequence[Candidate], shelf: Shelf, now: datetime) -> list[Decision]:
    """A decision for each candidate, in their order. `now`: stands for the time of a candidate that has none."""
    deciding = _Deciding(shelf, now)
    for candidate in candidates:
        deciding.take(candidate)
    return deciding.decisions


@dataclass(frozen=True)
class _Contradiction:
    """A sentence of a memory that one of a candidate leaves untrue."""

    memory: Memory
    old: str
    new: str
    why: str


@dataclass
class _Deciding:
    """The decisions so far; later words of a day change what its earlier ones would add."""

    shelf: Shelf
    now: datetime
    decisions: list[Decision] = field(default_factory=list)
    became: dict[str, str] = field(default_factory=dict)

    def take(self, candidate: Candidate) -> None:
        if candidate.forgets:
            self._forget(candidate)
            return
        similar = [self._as_it_will_be(memory) for memory in self.shelf.similar(candidate.content, _SIMILAR)]
        noop = self._known(candidate, similar)
        if noop:
            self.decisions.append(Decision(candidate, "NOOP", why=noop))
            return
        self._revise_earlier(candidate)
        decided = self._about(candidate, similar)
        self.decisions.append(decided)
        self.became |= {target: _content(decided) for target in decided.targets}

    def _as_it_will_be(self, memory: Memory) -> Memory:
        """A memory as the decisions so far leave it, so that a second change of a day doesn't undo the first."""
        text = self.became.get(memory.memory_id)
        return memory if text is None else memory.model_copy(update={"raw_text": text, "normalized_text": text})

    def _forget(self, candidate: Candidate) -> None:
        for at, earlier in enumerate(self.decisions):
            if earlier.operation in ("ADD", "UPDATE") and tells(candidate.content, _content(earlier)):
                self.decisions[at] = Decision(earlier.candidate, "NOOP", why="to be forgotten, the user said later that day")
        targets = says_it(candidate.content, self.shelf.similar(candidate.content, _FORGETTABLE))
        if targets:
            self.decisions.append(Decision(candidate, "FORGET", targets, why="the user wants it forgotten"))
        else:
            self.decisions.append(Decision(candidate, "NOOP", why="nothing says what is to be forgotten"))

    def _known(self, candidate: Candidate, similar: Sequence[Memory]) -> str | None:
        """Why there is nothing to do, None if there is."""
        told = [memory.content for memory in similar]
        told += [_content(one) for one in self.decisions if one.operation in ("ADD", "UPDATE")]
        said = [*told, *(one for text in told for one in _sentences(text))]
        if any(says_the_same(candidate.content, known) for known in told):
            return "known already"
        if all(any(says_the_same(own, one) for one in said) for own in _sentences(candidate.content)):
            return "known already"
        confident = (memory for memory in similar if memory.confidence >= _CONFIDENT)
        if candidate.confidence < _WEAK and any(_alike(candidate.content, memory.content) for memory in confident):
            return "a weak guess beside a confident memory"
        return None

    def _revise_earlier(self, candidate: Candidate) -> None:
        """What the same day said before and this leaves untrue is not added."""
        for at, earlier in enumerate(self.decisions):
            if earlier.operation not in ("ADD", "UPDATE"):
                continue
            kept = _sentences(_content(earlier))
            same_talk = earlier.candidate.interaction_id == candidate.interaction_id
            left = [old for old in kept if not _contradiction(candidate, old, same_talk)]
            if left == kept:
                continue
            if left:
                trimmed = " ".join(left)
                content = trimmed if earlier.content is not None else None
                self.decisions[at] = replace(earlier, candidate=replace(earlier.candidate, content=trimmed), content=content)
            elif earlier.operation == "ADD":
                self.decisions[at] = Decision(earlier.candidate, "NOOP", why="corrected later that day")

    def _about(self, candidate: Candidate, similar: Sequence[Memory]) -> Decision:
        found = _contradictions(candidate, similar)
        if not found:
            return Decision(candidate, "ADD", why="new")
        said_at = candidate.event_time or self.now
        newer = [one for one in found if one.memory.happened_at > said_at]
        if newer:
            later = newer[0].memory
            if newer[0].why != CHANGED:
                return Decision(candidate, "NOOP", why="older than what is remembered")
            return Decision(candidate, "ADD", why="an older value of what is remembered", outdated_by=later)
        targets = tuple(dict.fromkeys(one.memory.memory_id for one in found))
        return Decision(candidate, "UPDATE", targets, _updated(candidate, found), found[0].why)


def _contradictions(candidate: Candidate, similar: Sequence[Memory]) -> list[_Contradiction]:
    """All memories with another value of the same attribute, but only the nearest of those that are corrected or over."""
    found = [
        _Contradiction(memory, old, *reason)
        for memory in similar
        for old in _sentences(memory.content)
        if (reason := _contradiction(candidate, old))
    ]
    changed = [one for one in found if one.why == CHANGED]
    nearest = sorted(found, key=lambda one: -len(shared(stems_of(one.old), stems_of(one.new))))
    return changed or nearest[:1]


def _contradiction(candidate: Candidate, old: str, same_talk: bool = False) -> tuple[str, str] | None:
    """The candidate's sentence that leaves `old` untrue, and why."""
    for new in _sentences(candidate.content):
        why = contradicts(new, old, corrects=candidate.corrects, context=candidate.content, same_talk=same_talk)
        if why:
            return new, why
    return None


def _updated(candidate: Candidate, found: Sequence[_Contradiction]) -> str | None:
    """The memory with the sentence that is not true any more replaced; None where nothing else stood in it."""
    first = found[0]
    instead = corrected(first.new, first.old)
    known = [*_sentences(first.memory.content)]
    if len(known) == 1 and instead == first.new:
        return None
    gone = {one.old for one in found}
    kept = [old for old in known if old not in gone]
    said = [instead if new == first.new else new for new in _sentences(candidate.content) if new not in kept]
    return " ".join(_closed(one) for one in (*kept, *said))


def _sentences(text: str) -> list[str]:
    """The sentences of a memory's content; a question and its answer are one."""
    return [text] if "?" in text or "？" in text else [one.text for one in sentences(text)]


def _closed(sentence: str) -> str:
    return sentence if sentence.endswith((".", "!", "?", "…", "。", "！", "？")) else f"{sentence}."


def _content(decision: Decision) -> str:
    return decision.content or decision.candidate.content


def _alike(one: str, other: str) -> bool:
    ours, theirs = frozenset(analyzer.terms(one)), frozenset(analyzer.terms(other))
    return bool(ours and theirs) and len(ours & theirs) >= _ALIKE * min(len(ours), len(theirs))
