"""Check that a model's decision is supported by its evidence and by the memories that it would change."""

from collections.abc import Sequence
from functools import cache

from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision
from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.contradictions import contradicted
from commonplace.extraction.clauses import sentences
from commonplace.extraction.content_words import shared_stems, stems_of
from commonplace.extraction.days import Day
from commonplace.extraction.dialogue import question_to_user
from commonplace.extraction.gates import refusal_reason
from commonplace.extraction.grounding.evidence import clauses_around, unsupported
from commonplace.extraction.patterns import has_wording, is_instruction_to_reader, the_user
from commonplace.text.classifier.classification import classify
from commonplace.text.foundation import tokenizer

_LEAST_SUPPORTED, _LEAST_RETAINED = 1 / 5, 1 / 2
# The worth is computed without a vector. Of 86 story sentences that are worth storing, none had a worth below .5.
_WORTHLESS, _WORTHY = 0.3, 0.5


@cache
def _list_user_stems() -> frozenset[str]:
    return frozenset(tokenizer.terms(" ".join(the_user())))


def subject_stems(text: str) -> frozenset[str]:
    """Return the content stems of a text, without words for the user."""
    return stems_of(text) - _list_user_stems()


def unsupported_reason(decision: Decision, day: Day, targets: Sequence[Memory]) -> str | None:
    """Return the reason that a model's decision must not be applied, or None. The gates for all readers are checked first."""
    reason = refusal_reason(decision, day, targets)
    candidate = decision.candidate
    utterance = day.utterance_at(candidate.interaction_id, candidate.position)
    if reason or utterance is None or decision.operation == "NOOP":
        return reason
    question = question_to_user(day.before(utterance))
    # Check the full sentences around the evidence, because a model may quote only part of them.
    around = [clause.text for clause in clauses_around(candidate.evidence, utterance, sentences(utterance.text))]
    if any(is_instruction_to_reader(sentence) for sentence in around):
        return "an instruction to whoever reads it"
    if decision.operation == "FORGET":
        return None
    if not question and not utterance.explicit and all(map(_is_small_talk, around)):
        return "small talk or a passing state"
    return _refuse_unsaid(decision, question, targets) or _find_closing_reason(decision, day, targets)


def _is_small_talk(sentence: str) -> bool:
    worth = classify(sentence, None).worth
    return worth < _WORTHLESS or (worth < _WORTHY and (has_wording("passing", sentence) or has_wording("courtesy", sentence)))


def _refuse_unsaid(decision: Decision, question: str | None, targets: Sequence[Memory]) -> str | None:
    """Return a reason if a decision shares too few stems with the user's words and the targets. Otherwise return None."""
    texts = (decision.candidate.evidence, question or "", *(memory.content for memory in targets))
    content_stems = subject_stems(decision.says)
    known = frozenset[str]().union(*map(subject_stems, texts))
    is_supported = len(shared_stems(content_stems, known)) >= max(1.0, _LEAST_SUPPORTED * len(content_stems))
    return None if is_supported else "the user did not say it in those words"


def _find_closing_reason(decision: Decision, day: Day, targets: Sequence[Memory]) -> str | None:
    """Return the reason that a decision must not replace or close its targets, or None."""
    candidate = decision.candidate
    content = decision.says
    updates = decision.operation == "UPDATE"
    reasons = (
        _refuse_loss(memory.content, content, candidate, day) if updates else _refuse_unrelated(memory.content, content)
        for memory in targets
    )
    return next(filter(None, reasons), None)


def _refuse_loss(old: str, new: str, candidate: Candidate, day: Day) -> str | None:
    """Return the reason that an update must not replace a memory, or None. No name, number, date or negation may be lost.

    An update that doesn't contradict the memory must also keep at least half of the memory's content stems.
    """
    untrue = contradicted(new, old, corrects=candidate.corrects)
    values = [attribute.value for sentence in untrue if (attribute := attribute_of(sentence))]
    lost = unsupported(old, new, values, day.date)
    replaced = candidate.corrects and not values and unsupported(new, old, (), day.date)
    if lost and not replaced:
        return f"something of the old value is lost: {lost}"
    known = subject_stems(old)
    if not untrue and len(shared_stems(known, subject_stems(new))) < _LEAST_RETAINED * len(known):
        return "it says something else than the memory"
    return None


def _refuse_unrelated(old: str, new: str) -> str | None:
    """Return the reason that a text must not close a memory. Return None if the two share words or contradict each other."""
    if shared_stems(subject_stems(new), subject_stems(old)) or contradicted(new, old, corrects=True):
        return None
    return "it says nothing about the memory"
