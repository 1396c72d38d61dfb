"""Wordings that tell what a text is for: a standing instruction, a stated preference, a request for advice."""

import re

LANGUAGES = ("en", "de", "fr", "es", "ja")
"""In which an instruction and a request for advice are told; a preference only in English."""

_INSTRUCTION = re.compile(
    r"^\s*(?:please\s+)?(?:always|never|from now on|whenever|remember to|make sure)\b|\bwhen(?:ever)? i ask\b"
    r"|^\s*(?:bitte\s+)?(?:immer|niemals|ab jetzt|von nun an)\b|^\s*(?:toujours|désormais|ne .{1,20} jamais)\b"
    r"|^\s*(?:siempre|nunca|a partir de ahora|de ahora en adelante)\b|これからは|今後は",
    re.IGNORECASE,
)
_PREFERENCE = re.compile(
    r"\bi(?:'d|’d| would)?\s+(?:really\s+|usually\s+|always\s+)?(?:prefer|like|love|enjoy|hate|dislike)\b|\bmy fav"
    r"|\bprefers\b|\bthe user (?:likes|loves|enjoys|hates|dislikes)\b",
    re.IGNORECASE,
)
_ADVICE = re.compile(
    r"\b(?:suggest|recommend|should i|can you help|could you (?:show|help)|can you show|how (?:can|do|should|would) i"
    r"|how would you|what (?:steps|tools|are some))\b"
    r"|\b(?:empfehl|empfiehl|schlag\w* .{0,30}vor|soll(?:te)? ich)|\b(?:recommand|conseill|devrais-je)"
    r"|\b(?:recomiend|recomend|aconsej|sugier|debería)|おすすめ|お勧め|すべき",
    re.IGNORECASE,
)


def is_question(text: str) -> bool:
    """Whether something is asked in it."""
    return "?" in text or "？" in text


def is_instruction(text: str) -> bool:
    """Whether it tells the assistant how to behave from now on."""
    return bool(_INSTRUCTION.search(text))


def is_preference(text: str) -> bool:
    """Whether it states a taste outright."""
    return bool(_PREFERENCE.search(text))


def asks_for_advice(text: str) -> bool:
    """Whether a recommendation is wanted, for which the user's preferences matter."""
    return bool(_ADVICE.search(text))
