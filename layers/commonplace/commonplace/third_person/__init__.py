"""First-person statements in the third person, by rules."""

from .languages import ENGLISH, framed, language_of
from .statements import turned

__all__ = ["to_third_person"]


def to_third_person(text: str) -> str:
    """The statement in the third person, in its own language."""
    stripped = text.strip()
    if not any(char.isalnum() for char in stripped):
        return text
    code = language_of(stripped)
    return (turned(stripped) if code == ENGLISH else framed(stripped, code)) or text
