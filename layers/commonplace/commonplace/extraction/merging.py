"""Join the texts of several memories, and drop clauses that are fully contained in another text."""

from collections.abc import Sequence
from dataclasses import dataclass

from commonplace.extraction.changes.contradictions import contradicted
from commonplace.extraction.changes.corrections import is_correction
from commonplace.extraction.changes.statements import memory_sentences, statements
from commonplace.extraction.grounding.support import subject_stems
from commonplace.extraction.patterns import compiled, has_wording
from commonplace.text.foundation.calendar import is_calendar_word
from commonplace.text.foundation.sentences import STOPS
from commonplace.text.paraphrase.pair_side import side_of
from commonplace.text.paraphrase.repeats import bare_words, is_repeat, rewrite

_LEAST_STEMS = 2
_MARKS = ".,;:!?\"'()[]…。、！？"
_READINGS = ("negated", "past", "planned", "passing", "ended", "changed")
_WORDINGS = ("limited", "conditional", "weak", "bygone", "long_ago", "not_yet", "reported", "correction")


@dataclass(frozen=True)
class _Sentence:
    """A sentence in one of the texts to merge, split into statements."""

    source: int
    text: str
    clauses: tuple[str, ...]
    leans: bool
    """Whether this sentence or the next one depends on the one before it, like "She is black"."""


def merged_text(texts: Sequence[str]) -> str:
    """Join the texts in order, without rewording. A sentence is dropped if all of its clauses occur in other texts."""
    sentences = [sentence for source, text in enumerate(texts) for sentence in _build_sentences(source, text)]
    staying = [*sentences]
    for text in sentences[::-1]:  # in reverse, so that the later of two equivalent sentences is dropped
        compared = [other for other in staying if other.source != text.source and not other.leans]
        if not text.leans and all(any(_is_covered(clause, text, other) for other in compared) for clause in text.clauses):
            staying.remove(text)
    return " ".join(sentence.text if sentence.text.endswith(STOPS) else f"{sentence.text}." for sentence in staying)


def contradiction(older: str, newer: str) -> str | None:
    """Return the reason that the two texts contradict each other, or None."""
    from commonplace.text.paraphrase.pair_features import difference, is_value_changed  # imports numpy

    for new, old in ((newer, older), (older, newer)):
        untrue = contradicted(new, old, corrects=is_correction(new))
        if untrue:
            return f"of both only one can be true: {untrue[0]}"
    pairs = [(memory_sentence, other) for memory_sentence in memory_sentences(older) for other in memory_sentences(newer)]
    return next((difference(*pair) for pair in pairs if is_value_changed(*pair)), None)


def _is_covered(clause: str, sentence: _Sentence, other: _Sentence) -> bool:
    """Return whether `other` covers a clause. Both sentences must agree, because "if it rains" applies to every clause."""
    return _is_read_alike(sentence.text, other.text) and any(covers(statement, clause) for statement in other.clauses)


def _build_sentences(source: int, text: str) -> list[_Sentence]:
    sentences = memory_sentences(text)
    leans = [has_wording("pronoun", sentence) for sentence in sentences] + [False]
    return [
        _Sentence(source, sentence.strip(), tuple(statements(sentence)) or (sentence,), leans[at] or leans[at + 1])
        for at, sentence in enumerate(sentences)
    ]


def covers(text: str, dropped: str) -> bool:
    """Return whether `text` says everything that `dropped` says.

    Both texts may have the same words in a different order. Otherwise, `text` must start with the words of `dropped` and add
    only a place, a name or a companion, and `dropped` must have at least two content words, not counting words for the user.
    Both texts must agree in negation, tense and similar wording. A question covers only questions.
    """
    if ("?" in text) != ("?" in dropped) or not _is_read_alike(text, dropped):
        return False
    if is_repeat(dropped, text):
        return True
    ours, theirs = rewrite(dropped), rewrite(text)
    beginning, words = bare_words(ours), bare_words(theirs)
    goes_on = words[: len(beginning)] == beginning and len(subject_stems(dropped)) >= _LEAST_STEMS
    return goes_on and _is_only_detail(theirs.split()[len(beginning) - len(words) :])


def _is_read_alike(first: str, other: str) -> bool:
    """Return whether two sentences agree in negation, tense and other wording that changes the meaning."""
    ours, theirs = side_of(first), side_of(other)
    return all(getattr(ours, name) == getattr(theirs, name) for name in _READINGS) and all(
        has_wording(kind, first) == has_wording(kind, other) for kind in _WORDINGS
    )


def _is_only_detail(more: Sequence[str]) -> bool:
    """Return whether the rest of a clause only adds a detail, like "in Bonn", "with my dog" or "called Momo"."""
    joined = " ".join(more)
    if any(is_calendar_word(word.strip(_MARKS).casefold()) for word in more):
        return False
    return compiled("merging.adds").match(joined) is not None
