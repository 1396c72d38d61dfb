"""Match forget requests with texts to find the memories that a request covers and the sentences that can be kept."""

import re
from collections.abc import Iterable

from commonplace.domain.memory import Memory
from commonplace.extraction.changes.statements import joined, memory_sentences
from commonplace.extraction.changes.subjects import is_of_another
from commonplace.extraction.content_words import shared_stems, stems_of
from commonplace.extraction.patterns import has_wording, word_stems
from commonplace.extraction.third_parties import speaks_of_self
from commonplace.text.foundation import tokenizer

_MOSTLY, _FEW = 0.6, 2
_NAME = re.compile(r"\b[A-ZÀ-Þ]\w+")


def memories_about(target: str, memories: Iterable[Memory]) -> tuple[str, ...]:
    """Return the ids of the memories that contain the target."""
    return tuple(memory.memory_id for memory in memories if is_about(target, memory.content))


def is_about(target: str, text: str) -> bool:
    """Return whether a text is about a target to forget. A short target must match completely, and a longer one mostly."""
    wanted = _find_target_stems(target)
    own = " ".join(part for part in memory_sentences(text) if not is_of_another(target, part))
    shared = shared_stems(wanted, stems_of(own))
    whole = _FEW if speaks_of_self(target) else 1
    return bool(wanted) and len(shared) >= (len(wanted) if len(wanted) <= whole else _MOSTLY * len(wanted))


def names_something(target: str) -> bool:
    """Return whether a request mentions anything that could be forgotten."""
    return bool(_find_target_stems(target))


def mentions(target: str, text: str) -> bool:
    """Return whether a text contains a stem from the target, or a longer stem that begins with that stem."""
    return bool(shared_stems(_find_target_stems(target), stems_of(text), begins=True))


def text_without(target: str, text: str) -> str:
    """Return the sentences in a text that neither mention the target nor refer to it by a pronoun."""
    wanted, staying, leaning = _find_target_stems(target), list[str](), True
    for sentence in memory_sentences(text):
        leans_on_it = mentions(target, sentence) and not is_of_another(target, sentence)
        leaning = leans_on_it or (leaning and has_wording("pronoun", sentence))
        if not leaning and wanted:
            staying.append(sentence)
    return joined(staying)


def _find_target_stems(target: str) -> frozenset[str]:
    """Return the stems of a target. If it has only function words, its names count, because "Bo" and "Al" are names."""
    return (stems_of(target) or frozenset(tokenizer.terms(" ".join(_NAME.findall(target))))) - word_stems("conversation")
