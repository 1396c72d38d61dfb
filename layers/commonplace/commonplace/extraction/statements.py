"""What a text states, one by one: a part that is not true any more goes, and takes nothing with it that stood beside it."""

import re
from collections.abc import Collection, Iterator

from commonplace.extraction.clauses import STOPS, sentences
from commonplace.extraction.going_on import Turn, turns
from commonplace.extraction.stems import stems_of

_I = (
    r"(?:i|i'm|im|i've|ive|i'll|my|we|we're|we've|our|ich|mein\w*|wir|unser\w*|je|j'\w+|mon|ma|mes|nous|notre|yo|mis?"
    r"|io|ik|mijn|wij)"
)
_AND = r"(?:and|but|so|plus|und|aber|et|mais|y|pero|e|mas|ma|en|maar)"
_NEXT = re.compile(rf"(?:\s*[;–—]\s+|,? {_AND} |, )(?={_I}\b)", re.IGNORECASE)
_WHOLE = re.compile(
    r"\b(?:i|i'm|im|i've|we|we're|ich|wir|je|nous|is|are|was|has|have|lives?|works?|ist|sind|war|hat|es|son|est|vivo|trabajo|tengo|soy|j'\w+|moro|tenho|abito|ho|ik)\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r"\b(?:with|mit|avec|con|com|met) (?:my|our|mein\w*|unser\w*|mon|ma|mes|notre|mis?|nuestr[oa]s?|meus?|minhas?|mijn|onze)"
    r" [^,.;!?…]{2,60}?(?=$|[,.;!?…]| (?:in|at|near|on|since|for|and (?:i|we|my)|seit|bei|en|à|desde) )",
    re.IGNORECASE,
)
_BEING = re.compile(
    r"^\W*(?P<being>(?:(?:i'm|i am) an?|soy|sou|ich bin(?= (?-i:[A-ZÄÖÜ]))|je suis(?! à| en)|ik ben een) [^,.;!?…]{3,40}?)"
    r" (?:in|at|en|em|à|bei) [^,.;!?…]+[.!]?$",
    re.IGNORECASE,
)
_LEAST_WORDS = 2


def told(text: str) -> list[str]:
    """The sentences of a memory's content; a question and its answer are one."""
    return [text] if "?" in text or "？" in text else [one.text for one in sentences(text)]


def statements(text: str) -> list[str]:
    """What a text states, one by one: "I'm vegan and I love Thai food" states two things."""
    return [part for sentence in told(text) for part in _parts(sentence)]


def without(text: str, gone: Collection[str]) -> list[str]:
    """The sentences of a text but for the statements that are `gone`; what stays of a sentence in parts, each on its own."""
    kept: list[str] = []
    for sentence in told(text):
        parts = _parts(sentence)
        left = [part for part in parts if part not in gone]
        kept += [sentence] if left == parts else left
    return kept


def beside(old: str, new: str) -> list[str]:
    """With whom or what of the user's own it was, and what they are by profession, where `new` says nothing of it: whoever
    moves may well take their dog, and a nurse who leaves Valencia is one still."""
    found = [one[0] for one in _BESIDE.finditer(old) if not stems_of(one[0]) & stems_of(new)]
    being = None if _BEING.search(new) else _BEING.search(old.replace("’", "'"))
    found += [being["being"]] if being and not stems_of(being["being"]) & stems_of(new) else []
    return [one[0].upper() + one[1:] for one in found]


def joined(said: Collection[str]) -> str:
    """Statements as one text, each once."""
    return " ".join(one if one.endswith(STOPS) else f"{one}." for one in dict.fromkeys(said))


def _parts(sentence: str) -> list[str]:
    """Cut where another statement begins, behind one that is whole: not in "my wife and I live in Bonn"."""
    if "?" in sentence or "？" in sentence:
        return [sentence]
    plain = sentence.replace("’", "'")
    parts, rest = [], plain
    while turn := min((*_clauses(rest), *turns(rest)), key=lambda one: one.start, default=None):
        parts.append(turn.whole)
        rest = turn.who + rest[turn.end :]
    return [*parts, rest.strip()] if parts else [sentence.strip()]


def _clauses(text: str) -> Iterator[Turn]:
    """Where another clause of the user's begins."""
    for cut in _NEXT.finditer(text):
        part = text[: cut.start()].strip()
        if len(part.split()) >= _LEAST_WORDS and _WHOLE.search(part):
            yield Turn(cut.start(), cut.end(), part, "")
