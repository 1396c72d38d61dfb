"""Judge whether a clause in the user's own words is worth storing."""

import math
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from commonplace.extraction.changes.attributes import attribute_of
from commonplace.extraction.changes.corrections import ended_matter, is_correction
from commonplace.extraction.changes.figure_replacement import figures_of
from commonplace.extraction.clauses import Clause, pieces, without_request
from commonplace.extraction.patterns import has_wording, is_instruction_to_reader, wording_pattern
from commonplace.extraction.third_parties import OF_SOMEBODY_ELSE, private_reason, speaks_of_self
from commonplace.ports.models import Embedder
from commonplace.ports.values import Vector
from commonplace.text.classifier.classification import classify, log_odds
from commonplace.text.classifier.model import Kind, Shares, shipped_kinds
from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import has_kana_or_han, straight
from commonplace.text.foundation.english import is_auxiliary, is_everyday_s_form
from commonplace.text.foundation.sentences import STOPS

SECRET = "a secret"
NOT_WORTH, ASKING, PASSING = "not worth keeping", "a question or a request", "small talk or a passing state"
ROLE_PLAY, _IMAGINED, _INSTRUCTION = "role-play", "a hypothetical", "an instruction to whoever reads it"
# Text that was redacted when it was recorded, and text that resembles a secret.
_SECRET = re.compile(
    r"\[redacted:|(?<!\d)(?:\d[ -]?){12,}|(?<!\S)(?=\S*[a-z])(?=\S*[A-Z])(?=\S*\d)(?=\S*[!@#$%^&*_+=?])(?!https?://)\S{8,}(?<![.,;:!?])"
)
_SURELY = 0.997
_FACT = 0.6
_LEAST_THIRD_PARTY = 0.2
_LEAST_TERMS = 2
_FRAGMENT, _FRAGMENT_WORTH = 3, 0.9
"""A clause of at most `_FRAGMENT` words that is not about the user is a fragment, unless its worth is high."""
_LEAST_WORDS = 3
_PASSING = ("courtesy", "passing", "attempt")
"""Kinds of wording that matter only briefly. A clause of one of these kinds is stored only if its worth is very high."""

_REASONS: dict[Kind, str] = {
    "passing": PASSING,
    "asking": ASKING,
    "imagined": _IMAGINED,
    "role_play": ROLE_PLAY,
    "others": "of somebody else",
    "pasted": "somebody else's words",
    "injection": _INSTRUCTION,
}


@dataclass(frozen=True)
class Judgement:
    """The judgement of two models about a clause. `shares` gives the probability of each kind. `worth` is from 0 to 1."""

    shares: Shares
    worth: float

    @property
    def likeliest(self) -> Kind:
        """The kind with the largest share."""
        return max(self.shares, key=lambda kind: self.shares[kind])


@lru_cache(maxsize=1024)  # because the role-play check judges all clauses in a message first
def judge(text: str, words: Embedder) -> Judgement:
    """Judge a clause. A final full stop makes no difference.

    The worth combines the odds of two models, of which one was trained on chats and the other on clear statements. Each model
    is overconfident about the kind of text on which the other was trained.
    """
    sentence, vector, shares = _judge_as_sentence(text, words)
    odds = log_odds(shares["fact"] + shares["wish"]) + log_odds(classify(sentence, vector).worth)
    return Judgement(shares, 1.0 / (1.0 + math.exp(-odds)))


def kind_shares(text: str, words: Embedder) -> Shares:
    """Return the probability of each kind of text. A final full stop makes no difference."""
    return _judge_as_sentence(text, words)[2]


@lru_cache(maxsize=128)  # because a message with one clause is judged both as a clause and as a whole
def _judge_as_sentence(text: str, words: Embedder) -> tuple[str, Vector | None, Shares]:
    """Return the text with a final full stop, its word vector and the probabilities of its kinds."""
    sentence = _add_stop(text)
    vector = words.embed(sentence)
    return sentence, vector, shipped_kinds().shares(sentence, vector)


def _add_stop(text: str) -> str:
    """Add a full stop to a statement about the user. People omit it, but both models were trained on text with full stops."""
    plain = text.rstrip()
    whole = plain.endswith(STOPS) or not plain[-1:].isalnum()
    if whole or not (speaks_of_self(plain) or has_wording("interest", plain)):
        return text
    return plain + ("。" if has_kana_or_han(plain) else ".")


def unworthy_reason(
    clause: Clause, judgement: Judgement, least: float, *, is_wanted: bool = False, family: frozenset[str] = frozenset()
) -> str | None:
    """Return the reason that a clause should not be stored, or None. `least` is the minimum worth, from 0 to 1.

    `is_wanted` is True if the user asked for the clause to be remembered.
    """
    if why := exclusion_reason(clause.text, family) or _refuse_third_party(clause.text, judgement):
        return why
    return None if is_wanted else _find_passing_reason(clause, judgement, least)


def _refuse_third_party(text: str, judgement: Judgement) -> str | None:
    """Return the reason that a text is too private to another person, as the models and its wording show, or None."""
    if judgement.shares["others"] < _LEAST_THIRD_PARTY or not has_wording("sensitive", text):
        return None
    of_the_user = speaks_of_self(text) or has_wording("household", text) or has_wording("adviser", text)
    return None if of_the_user else OF_SOMEBODY_ELSE


def exclusion_reason(text: str, family: frozenset[str] = frozenset()) -> str | None:
    """Return the reason that a text must never be stored, even on request, or None if it may be stored."""
    if is_instruction_to_reader(text):
        return _INSTRUCTION
    if _SECRET.search(text):
        return SECRET
    if has_wording("code", text):
        return "code"
    return private_reason(text, family)


def wished_parts(clause: Clause, is_wanted: bool) -> Iterator[Clause]:
    """Yield the storable parts of a request that contains a secret, and the parts with the secret.

    Parts before "remember that" are skipped unless `is_wanted` is true. Parts are separated by commas. A part with a secret
    is split further, and its pieces must be about the user or have a verb.
    """
    for part in pieces(clause, "comma"):
        for piece in pieces(part) if exclusion_reason(part.text) else [part]:
            content, wanted = without_request(piece)
            is_wanted = is_wanted or wanted
            if is_wanted and (exclusion_reason(content.text) or _is_complete(content.text, piece is part)):
                yield content


def _is_complete(text: str, between_commas: bool) -> bool:
    """Return whether part of a request is a whole statement rather than a noun phrase ("the code for the shed")."""
    words = text.split()
    if speaks_of_self(text) or has_kana_or_han(text):
        return True
    if between_commas:
        return len(words) > 1
    return len(words) >= _LEAST_WORDS and any(is_auxiliary(word) or is_everyday_s_form(word) for word in words[1:])


def imagined_or_reported(text: str) -> str | None:
    """Return the reason that a clause may not be true of the user (imagined, or someone else's opinion), or None."""
    if has_wording("counterfactual", text):
        return _IMAGINED
    return "what somebody else says" if has_wording("reported", text) and not has_wording("adviser", text) else None


def only_greets(text: str) -> bool:
    """Return whether a text consists of greetings, thanks and good wishes, possibly with a name."""
    plain = straight(text)
    words = re.findall(r"\w+", wording_pattern("greeting").sub(" ", plain))
    names = [word for word in words if len(word) > 1 and word.istitle() and not has_kana_or_han(word)]
    return len(words) == len(names) <= (wording_pattern("greeting").search(plain) is not None)


def _find_passing_reason(clause: Clause, judgement: Judgement, least: float) -> str | None:
    """Return the reason that a clause is not worth storing, or None. The user has not asked to remember the clause."""
    text = clause.text
    if has_wording("standing", text):
        return None
    leaves_aside = (
        has_wording("forget", text) and has_wording("for_a_moment", text) and not has_wording("no_forgetting", text)
    )
    if clause.asking or leaves_aside or text.rstrip("\"'”’») ").endswith(("?", "？")):
        return ASKING
    if why := imagined_or_reported(text):
        return why
    if only_greets(text):
        return PASSING
    attribute = attribute_of(text)
    if (attribute is not None and attribute.name == "boss") or has_wording("adviser", text):
        return None  # a clause about an employer, or with a doctor's advice, concerns the user
    if judgement.worth < _SURELY and any(has_wording(kind, text) for kind in _PASSING):
        return PASSING
    if _is_fragment(text, judgement.worth):
        return NOT_WORTH
    if judgement.worth >= (_FACT * least if _is_fact(text) else least):
        return None
    return _REASONS.get(judgement.likeliest, NOT_WORTH)


def is_instruction(text: str) -> bool:
    """Return whether a text is an instruction for the assistant's future behaviour."""
    return has_wording("standing", text) and not has_wording("no_wish", text)


def _is_fragment(text: str, worth: float) -> bool:
    """Return whether a clause is too short to store. A statement in the first person or of a fact is never too short."""
    if speaks_of_self(text) or _is_fact(text):
        return False
    few = " " in text and len(text.split()) <= _FRAGMENT and not has_wording("household", text)
    return len(tokenizer.terms(text)) < _LEAST_TERMS or (few and worth < _FRAGMENT_WORTH)


def _is_fact(text: str) -> bool:
    """Return whether a clause states an attribute, an interest or a change. These are facts even if the models are unsure."""
    changes = bool(ended_matter(text)) or (is_correction(text) and bool(figures_of(text)))
    return attribute_of(text) is not None or has_wording("interest", text) or changes
