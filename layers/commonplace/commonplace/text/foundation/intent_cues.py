"""Recognize the intent of a text by its wording, such as a standing instruction or a request for advice."""

from commonplace.text.foundation.expressions import Expressions

LANGUAGES = ("en", "de", "fr", "es", "ja")
"""The languages in which instructions and requests are recognized. Preferences are recognized only in English."""
_EXPRESSIONS = Expressions(__package__)


def is_question(text: str) -> bool:
    return "?" in text or "？" in text


def is_instruction(text: str) -> bool:
    """Return whether a text is an instruction for the assistant's future behaviour."""
    return bool(_EXPRESSIONS.compiled("intent.instruction").search(text))


def is_preference(text: str) -> bool:
    """Return whether a text directly states a preference."""
    return bool(_EXPRESSIONS.compiled("intent.preference").search(text))


def is_confidential(text: str) -> bool:
    """Return whether a text says that its content must not be shared."""
    return bool(_EXPRESSIONS.compiled("intent.confidential").search(text))


def asks_for_advice(text: str) -> bool:
    """Return whether a text asks for a recommendation that depends on the user's preferences."""
    return bool(_EXPRESSIONS.compiled("intent.advice").search(text))


def asks_for_reminders(text: str) -> bool:
    """Return whether a question asks for due or open tasks."""
    return bool(_EXPRESSIONS.compiled("intent.remind").search(text))


def asks_for_similar(text: str) -> bool:
    """Return whether a question asks for things that resemble a given one ("more like this")."""
    return bool(_EXPRESSIONS.compiled("intent.similar").search(text))


def asks_about_now(text: str) -> bool:
    """Return whether a question asks what is true now ("Is Ines still my boss?")."""
    return bool(_EXPRESSIONS.compiled("intent.now").search(text))


def asks_about_the_user(text: str) -> bool:
    """Return whether a question asks for everything known about the user."""
    return bool(_EXPRESSIONS.compiled("intent.about_the_user").search(text))
