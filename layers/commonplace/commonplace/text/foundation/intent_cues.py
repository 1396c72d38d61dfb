"""Wordings that tell what a text is for: a standing instruction, a stated preference, a request for advice."""

from commonplace.text.foundation.expressions import Expressions

LANGUAGES = ("en", "de", "fr", "es", "ja")
"""In which an instruction and a request for advice are told; a preference only in English."""
_EXPRESSIONS = Expressions(__package__)


def is_question(text: str) -> bool:
    """Whether something is asked in it."""
    return "?" in text or "？" in text


def is_instruction(text: str) -> bool:
    """Whether it tells the assistant how to behave from now on."""
    return bool(_EXPRESSIONS.compiled("intent.instruction").search(text))


def is_preference(text: str) -> bool:
    """Whether it states a taste outright."""
    return bool(_EXPRESSIONS.compiled("intent.preference").search(text))


def is_confidential(text: str) -> bool:
    """Whether it was told in confidence: others are not to hear of it."""
    return bool(_EXPRESSIONS.compiled("intent.confidential").search(text))


def asks_for_advice(text: str) -> bool:
    """Whether a recommendation is wanted, for which the user's preferences matter."""
    return bool(_EXPRESSIONS.compiled("intent.advice").search(text))


def asks_for_reminders(text: str) -> bool:
    """Whether a question is for what is due or to be done."""
    return bool(_EXPRESSIONS.compiled("intent.remind").search(text))


def asks_for_similar(text: str) -> bool:
    """Whether a question is for more of the same."""
    return bool(_EXPRESSIONS.compiled("intent.similar").search(text))


def asks_about_the_user(text: str) -> bool:
    """Whether a question is for all that is known of the user."""
    return bool(_EXPRESSIONS.compiled("intent.about_the_user").search(text))
