"""Use rules to decide how candidates change memories. A memory is closed only if the user corrects, ends or changes it."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision, MemoryView
from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.contradictions import CHANGED, contradicts
from commonplace.extraction.changes.corrections import corrected_sentence
from commonplace.extraction.changes.figure_replacement import plain_figures
from commonplace.extraction.changes.statements import joined, memory_sentences, statements, true_details, without_statements
from commonplace.extraction.content_words import has_same_words, says_the_same, shared_stems, stems_of
from commonplace.extraction.forgetting.matching import is_about, memories_about, text_without
from commonplace.text.foundation import tokenizer

_SIMILAR, _FORGETTABLE = 10, 50
WEAK, _CONFIDENT = 0.5, 0.7
WEAK_GUESS = "a weak guess beside a confident memory"
KNOWN = "known already"
_BEGINNING, _ENDING = 4, 5  # the number of letters that related words share at the start ("weinen") or at the end ("Kirche")
_FEWEST = 8
_MOST = 40
_LISTED = 200


@dataclass
class DayWords:
    """An index of a day's texts. Two texts that share no word, figure or attribute need not be compared."""

    _texts: list[str] = field(default_factory=list)
    _places: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def add(self, text: str) -> None:
        """Add a text. Texts are numbered from 0, in the order in which they are added."""
        for key in _build_keys(text):
            self._places[key].append(len(self._texts))
        self._texts.append(text)

    def near(self, text: str) -> list[int]:
        """Return the sorted indexes of the texts that share the most keys with `text`, and of the newest texts."""
        shared: Counter[int] = Counter()
        for key in _build_keys(text):
            places = self._places.get(key, ())
            # Frequent words say little, so only their newest texts count.
            shared.update(dict.fromkeys(places[-_LISTED:], 1 + _LISTED // len(places) if places else 0))
        best = sorted(shared, key=lambda number: (-shared[number], -number))[:_MOST]
        return sorted({*best, *range(max(0, len(self._texts) - _FEWEST), len(self._texts))})

    def sharing(self, text: str) -> list[int]:
        """Return the sorted indexes of all texts that share a key with `text`."""
        return sorted({number for key in _build_keys(text) for number in self._places.get(key, ())})


def decide(candidates: Sequence[Candidate], view: MemoryView, now: datetime) -> list[Decision]:
    """Return decisions about candidates, in order. `now` replaces missing times. A partial erasure may split a decision."""
    deciding = _DayDecisions(view, now)
    for candidate in candidates:
        deciding.add(candidate)
    return deciding.decisions


@dataclass(frozen=True)
class _Contradiction:
    """A sentence of a memory, and the sentence of a candidate that contradicts it."""

    memory: Memory
    old: str
    new: str
    why: str


@dataclass
class _DayDecisions:
    """The decisions so far. Later messages in a day may change earlier decisions."""

    view: MemoryView
    now: datetime
    decisions: list[Decision] = field(default_factory=list)
    revised: dict[str, str] = field(default_factory=dict)
    day_words: DayWords = field(default_factory=DayWords)

    def add(self, candidate: Candidate) -> None:
        """Add the decision about a candidate, which may change earlier decisions."""
        if candidate.forgets:
            self._apply_forgetting(candidate)
            return
        # Document passages are skipped, because they change only with their document.
        similar = [memory for memory in self._find_similar(candidate, _SIMILAR) if not memory.is_passage]
        why = self._find_known_reason(candidate, similar)
        if why:
            self._append_decision(Decision(candidate, "NOOP", why=why))
            return
        self._revise_earlier(candidate)
        decided = self._decide_by_contradiction(candidate, similar)
        self._append_decision(decided)
        self.revised |= dict.fromkeys(decided.targets, decided.says)

    def _append_decision(self, decision: Decision) -> None:
        self.decisions.append(decision)
        self.day_words.add(decision.says)

    def _list_additions(self, numbers: Iterable[int]) -> list[tuple[int, Decision]]:
        """Return the decisions at these indexes that are an ADD or UPDATE, each with its index."""
        return [(at, decision) for at in numbers if (decision := self.decisions[at]).operation in ("ADD", "UPDATE")]

    def _find_similar(self, candidate: Candidate, limit: int) -> list[Memory]:
        """Return similar memories with the changes decided so far, so that a second change doesn't undo the first."""
        revisions = [(memory, self.revised.get(memory.memory_id)) for memory in self.view.similar(candidate.content, limit)]
        return [
            memory if text is None else memory.model_copy(update={"raw_text": text, "normalized_text": text})
            for memory, text in revisions
            if text != ""
        ]

    def _apply_forgetting(self, candidate: Candidate) -> None:
        """Plan a forget request, and remove the texts that it covers from earlier decisions."""
        known = self._find_similar(candidate, _FORGETTABLE)
        targets = memories_about(candidate.content, known)
        for at, earlier in self._list_additions(self.day_words.sharing(candidate.content)):
            if is_about(candidate.content, earlier.says):
                self.decisions[at], *decisions = _remove_forgotten(earlier, candidate.content, targets)
                for decision in decisions:
                    self._append_decision(decision)
        gone = (memory for memory in known if memory.memory_id in targets)
        self.revised |= {memory.memory_id: text_without(candidate.content, memory.content) for memory in gone}
        why = "the user wants it forgotten" if targets else "nothing says what is to be forgotten"
        self._append_decision(Decision(candidate, "FORGET" if targets else "NOOP", targets, why=why))

    def _find_known_reason(self, candidate: Candidate, similar: Sequence[Memory]) -> str | None:
        """Return the reason that a candidate adds nothing (known or a weak guess), or None if it may add something."""
        old = [memory.content for memory in similar]
        old += [decision.says for _, decision in self._list_additions(self.day_words.near(candidate.content))]
        if any(says_the_same(candidate.content, text) for text in old):
            return KNOWN
        own = memory_sentences(candidate.content)
        parts = (part for text in old for part in memory_sentences(text))
        known_texts = dict.fromkeys((*old, *parts) if len(own) > 1 else ())
        if known_texts and all(any(says_the_same(sentence, text) for text in known_texts) for sentence in own):
            return KNOWN
        return WEAK_GUESS if is_weak_guess(candidate, similar) else None

    def _revise_earlier(self, candidate: Candidate) -> None:
        """Remove from earlier decisions the statements that a candidate contradicts."""
        for at, earlier in self._list_additions(self.day_words.near(candidate.content)):
            content, same_conversation = earlier.says, earlier.candidate.interaction_id == candidate.interaction_id
            gone = {old for old in statements(content) if _find_contradiction(candidate, old, same_conversation)}
            if gone:
                self._remove_statements(at, gone, candidate.content)

    def _remove_statements(self, at: int, gone: Collection[str], new: str) -> None:
        """Remove statements from an earlier decision. An ADD that has no text left becomes a NOOP."""
        earlier = self.decisions[at]
        details = (detail for old in gone for detail in true_details(old, new))
        left = joined((*without_statements(earlier.says, gone), *details))
        if not left:
            if earlier.operation == "ADD":
                self.decisions[at] = Decision(earlier.candidate, "NOOP", why="corrected later that day")
            return
        content = left if earlier.content is not None else None
        self.decisions[at] = replace(earlier, candidate=replace(earlier.candidate, content=left), content=content)

    def _decide_by_contradiction(self, candidate: Candidate, similar: Sequence[Memory]) -> Decision:
        """Return the decision about a candidate that isn't known: UPDATE if it contradicts memories, or else ADD or NOOP."""
        contradictions = _find_contradictions(candidate, similar)
        if not contradictions:
            restated = not candidate.corrects and set(self.view.restated(candidate.content)) - self.revised.keys()
            return Decision(candidate, "NOOP", why=KNOWN) if restated else Decision(candidate, "ADD", why="new")
        spoken_at = candidate.event_time or self.now
        newer = [contradiction for contradiction in contradictions if contradiction.memory.happened_at > spoken_at]
        if newer:
            later = newer[0].memory
            if newer[0].why != CHANGED:
                return Decision(candidate, "NOOP", why="older than what is remembered")
            return Decision(candidate, "ADD", why="an older value of what is remembered", outdated_by=later)
        targets = tuple(dict.fromkeys(contradiction.memory.memory_id for contradiction in contradictions))
        return Decision(candidate, "UPDATE", targets, _merge_content(candidate, contradictions), contradictions[0].why)


def is_weak_guess(candidate: Candidate, similar: Sequence[Memory]) -> bool:
    """Return whether a candidate is unsure and a more confident memory has mostly the same words."""
    confident = (memory for memory in similar if memory.confidence >= _CONFIDENT)
    return candidate.confidence < WEAK and any(has_same_words(candidate.content, memory.content) for memory in confident)


def _remove_forgotten(earlier: Decision, target: str, forgotten: Collection[str]) -> list[Decision]:
    """Remove the sentences about `target` from a decision. `forgotten` lists the ids of the memories that the request covers.

    The rest of an ADD is split into sentences if the evidence allows this.
    """
    content, candidate = text_without(target, earlier.says), earlier.candidate
    evidence = memory_sentences(text_without(target, candidate.evidence))
    if not content or not evidence:
        return [without_addition(earlier, forgotten)]
    if earlier.operation == "UPDATE":
        return [replace(earlier, candidate=replace(candidate, content=content, evidence=evidence[0]), content=content)]
    contents = memory_sentences(content)
    pairs = zip(contents, evidence, strict=True) if len(contents) == len(evidence) else [(content, evidence[0])]
    return [replace(earlier, candidate=replace(candidate, content=content, evidence=words)) for content, words in pairs]


def without_addition(earlier: Decision, forgotten: Collection[str]) -> Decision:
    """Drop the new text from a decision. `forgotten` contains the ids of the memories that a forget request covers.

    An ADD becomes a NOOP, and so does an UPDATE if the request covers all of its targets. Any other UPDATE becomes a DELETE,
    because its targets are no longer true.
    """
    why = "to be forgotten, the user said later that day"
    if earlier.operation == "ADD" or set(earlier.targets) <= set(forgotten):
        return Decision(earlier.candidate, "NOOP", why=why)
    return Decision(replace(earlier.candidate, content="", corrects=True), "DELETE", earlier.targets, why=why)


def _find_contradictions(candidate: Candidate, similar: Sequence[Memory]) -> list[_Contradiction]:
    """Return all contradictions due to changed attributes. If there are none, return only the closest contradiction."""
    contradictions = [
        _Contradiction(memory, old, *reason)
        for memory in similar
        for old in statements(memory.content)
        if (reason := _find_contradiction(candidate, old))
    ]
    changed = [contradiction for contradiction in contradictions if contradiction.why == CHANGED]
    nearest = sorted(contradictions, key=lambda conflict: -len(shared_stems(stems_of(conflict.old), stems_of(conflict.new))))
    return changed or nearest[:1]


def _find_contradiction(candidate: Candidate, old: str, same_conversation: bool = False) -> tuple[str, str] | None:
    """Return the sentence in a candidate that contradicts an old sentence, with the reason, or None."""
    for new in dict.fromkeys((*memory_sentences(candidate.content), *statements(candidate.content))):
        why = contradicts(new, old, corrects=candidate.corrects, context=candidate.content, nearby=same_conversation)
        if why:
            return new, why
    return None


def _merge_content(candidate: Candidate, contradictions: Sequence[_Contradiction]) -> str | None:
    """Join the still valid parts of memories with the new statement. Returns None if only the candidate's text remains."""
    first, gone = contradictions[0], {contradiction.old for contradiction in contradictions}
    instead = corrected_sentence(first.new, first.old)
    contents = dict.fromkeys(contradiction.memory.content for contradiction in contradictions)
    staying = [left for content in contents for left in without_statements(content, gone)]
    staying += [detail for old in gone for detail in true_details(old, candidate.content)]
    if not staying and instead == first.new:
        return None
    return joined((*staying, *(new.replace(first.new, instead) for new in memory_sentences(candidate.content))))


def _build_keys(text: str) -> frozenset[str]:
    """Return the keys under which `DayWords` finds a text. They are word beginnings, word endings, figures and attributes."""
    attributes = map(attribute_of, dict.fromkeys((*memory_sentences(text), *statements(text))))
    return frozenset((*_build_word_keys(text), *(f"={attribute.name}" for attribute in attributes if attribute)))


def _build_word_keys(text: str) -> Iterator[str]:
    """Yield the first four letters of each word and, after "-", the last five of a word that has at least five."""
    for word in (*tokenizer.terms(text), *tokenizer.words(text), *plain_figures(text)):
        plain = word.casefold().removeprefix("ge")
        yield plain[:_BEGINNING]
        if len(plain) >= _ENDING:
            yield f"-{plain[-_ENDING:]}"
