"""Other people: what is kept of them bears on the user; never their health, relations, money or secrets."""

import re
from collections.abc import Iterable

from commonplace.extraction.clauses import PIECES
from commonplace.extraction.patterns import has_wording, mentions_the_user, wording_pattern
from commonplace.text.foundation.characters import straight

OF_SOMEBODY_ELSE = "the health, relations, money or secrets of somebody else"
_NAME = r"(?:(?-i:[A-ZÀ-Þ])[\w'’-]+)"
_NAMED = re.compile(rf"\W{{0,2}}(?:is |are |called |named |,|heißt |s'appelle |se llama |si chiama |heet )?\s*({_NAME})")
_NAMED_BEFORE = re.compile(r"([^\W\d_]{3,})(?:,? (?:also|is|ist|das ist|c'est|es|è|é))? $|([^\W\d_]{3,}), $")
_THEY = re.compile(
    r"\b(?:he|she|they|his|her|their|him|he's|she's|they're|hes|shes|whose|who|er|sie|ihr\w*|sein\w*|il|elle|ils|elles|él|ella|ele"
    r"|ela|lui|lei|hij|zij)\b|(?-i:\b[A-ZÀ-Þ][a-zà-ÿ]+\b)|\b[^\W\d_]{3,}'s\b",
    re.IGNORECASE,
)
_THEIR_SUBJECT = re.compile(
    r"\W*(?:he|she|they|his|her|their|er|sie|il|elle|él|ella|ele|ela|lui|lei|hij|zij)\b", re.IGNORECASE
)
_FIRST_PERSON = re.compile(
    r"\b(?:i|i'm|i've|i'd|i'll|im|ive|ill|me|my|mine|we|we're|we've|us|our|ich|mich|mir|mein\w*|wir|uns|je|j'\w*|moi|mon|ma|mes"
    r"|nous|yo|mi|mis|nosotr\w+|eu|meu\w*|minha\w*|nós|io|mio|mia|miei|mie|noi|ik|mij|mijn|wij|ons|onze)\b|私|僕|俺|うち",
    re.IGNORECASE,
)


def household_names(texts: Iterable[str]) -> frozenset[str]:
    """The names of the user's household, family and pets that some texts tell ("my wife Clara", "Femke, my daughter")."""
    found: set[str] = set()
    for text in texts:
        for match in wording_pattern("household").finditer(text):
            behind, before = (
                _NAMED.match(text, match.end()),
                _NAMED_BEFORE.search(text[max(0, match.start() - 40) : match.start()]),
            )
            found |= {behind[1]} if behind else set()
            found |= {before[1] or before[2]} if before else set()
    return frozenset(name.casefold() for name in found)


def private_reason(text: str, household: frozenset[str] = frozenset()) -> str | None:
    """Why a statement is private to somebody else, None if it isn't. `household`: names of the user's household."""
    plain = straight(text)
    if has_wording("charge", plain):
        return "of somebody in the user's care"
    if has_wording("confided", plain) and _tells_of_somebody(plain):
        return OF_SOMEBODY_ELSE
    stranger = own = False
    for piece in PIECES.split(plain):
        own = is_about_the_users_own(piece, household) or (own and not _THEIR_SUBJECT.match(piece))
        stranger = has_wording("outsider", piece) or (stranger and not own)
        if has_wording("sensitive", piece) and (stranger or (not own and _tells_of_somebody(piece))):
            return OF_SOMEBODY_ELSE
    return None


def is_about_an_outsider(text: str) -> bool:
    """Whether a text is about somebody outside the household, so that a later "he" is that person."""
    return has_wording("outsider", text) and not has_wording("household", text)


def is_about_the_users_own(text: str, household: frozenset[str]) -> bool:
    """Whether a text is about the user or somebody of the household."""
    names = {word.casefold().removesuffix("'s") for word in re.findall(r"[\w']+", text)}
    own = speaks_of_self(text) or mentions_the_user(text)
    return own or has_wording("household", text) or not household.isdisjoint(names)


def speaks_of_self(text: str) -> bool:
    """Whether a text has a word of the first person."""
    return _FIRST_PERSON.search(straight(text)) is not None


def _tells_of_somebody(piece: str) -> bool:
    return any(not _is_ordinary(match[0]) for match in _THEY.finditer(piece))


def _is_ordinary(word: str) -> bool:
    """Whether the word is capitalized only because it begins a sentence."""
    return wording_pattern("sentence_opener").fullmatch(word) is not None and not _THEIR_SUBJECT.match(word)
