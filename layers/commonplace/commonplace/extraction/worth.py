"""Whether a clause of the user's own words is worth a memory."""

import re
from dataclasses import dataclass

from commonplace import analyzer
from commonplace.classifier import Classification, classify
from commonplace.extraction.attributes import attribute_of
from commonplace.extraction.clauses import Clause
from commonplace.extraction.corrections import is_correction, over
from commonplace.extraction.figures import figures_of
from commonplace.extraction.injections import is_instruction_to_reader
from commonplace.extraction.third_parties import never_kept, speaks_of_self
from commonplace.extraction.wordings import says
from commonplace.ports import Embedder

NOT_WORTH = "not worth keeping"
# What was taken out at the door, and what looks so much like a secret that no memory needs it.
_SECRET = re.compile(
    r"\[redacted:|(?<!\d)(?:\d[ -]?){12,}|(?<!\S)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)(?=\S*[!@#$%^&*_+=?])(?!https?://)\S{8,}(?<![.,;:!?])"
)
_SURELY = 0.97
_FACT = 0.6
_LEAST_TERMS = 2
_FRAGMENT, _FRAGMENT_WORTH = 3, 0.9
"""So few words that don't speak of the user are a piece of a sentence, unless they surely say something."""
_PASSING = ("courtesy", "passing", "attempt")
"""Kinds that tell of the moment; a clause that surely tells of more is kept all the same."""


@dataclass(frozen=True)
class Worth:
    """What was thought of a clause: why it is no memory, or None; and its labels."""

    refused: str | None
    labels: Classification


def judged(
    clause: Clause, words: Embedder, least: float, *, asked_for: bool = False, family: frozenset[str] = frozenset()
) -> Worth:
    """Judges one clause. `least`: the worth, 0 to 1, from which one counts; `asked_for`: the user said to remember it."""
    labels = classify(clause.text, words.embed(clause.text))
    return Worth(never(clause.text, family) or (None if asked_for else _passing(clause, labels, least)), labels)


def never(text: str, family: frozenset[str] = frozenset()) -> str | None:
    """Why a text is no memory of anybody, whoever asked for it; None if it may be one."""
    if is_instruction_to_reader(text):
        return "an instruction to whoever reads it"
    if _SECRET.search(text):
        return "a secret"
    if says("code", text):
        return "code"
    return never_kept(text, family)


def imagined_or_reported(text: str) -> str | None:
    """Why a clause does not tell what is so for the user: it is imagined, or somebody else's opinion."""
    if says("counterfactual", text):
        return "a hypothetical"
    return "what somebody else says" if says("reported", text) and not says("adviser", text) else None


def _passing(clause: Clause, labels: Classification, least: float) -> str | None:
    text = clause.text
    if says("standing", text):
        return None
    if clause.asking or text.rstrip("\"'”’») ").endswith(("?", "？")):
        return "a question or a request"
    if why := imagined_or_reported(text):
        return why
    if labels.worth < _SURELY and any(says(kind, text) for kind in _PASSING):
        return "small talk or a passing state"
    if _is_fragment(text, labels.worth):
        return NOT_WORTH
    return None if labels.worth >= (_FACT * least if _is_fact(text) else least) else NOT_WORTH


def is_wish(text: str) -> bool:
    """Whether it tells the assistant how to be from now on."""
    return says("standing", text) and not says("no_wish", text)


def _is_fragment(text: str, worth: float) -> bool:
    if speaks_of_self(text) or _is_fact(text):
        return False
    few = " " in text and len(text.split()) <= _FRAGMENT and not says("household", text)
    return len(analyzer.terms(text)) < _LEAST_TERMS or (few and worth < _FRAGMENT_WORTH)


def _is_fact(text: str) -> bool:
    """What has one value at a time, a home or a date, or has another now: facts even where the classifier hesitates."""
    return attribute_of(text) is not None or bool(over(text)) or (is_correction(text) and bool(figures_of(text)))
