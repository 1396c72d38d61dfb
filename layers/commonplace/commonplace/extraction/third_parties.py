"""Decide which statements about other people are too private to store, such as statements about their health or money."""

import re
from collections.abc import Iterable

from commonplace.extraction.patterns import compiled, has_wording, mentions_the_user, wording_pattern
from commonplace.text.foundation.characters import straight

OF_SOMEBODY_ELSE = "the health, relations, money or secrets of somebody else"


def household_names(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of household members, relatives and pets in the texts ("my wife Clara", "Femke, my daughter")."""
    names: set[str] = set()
    for text in texts:
        for match in wording_pattern("household").finditer(text):
            behind = compiled("third_parties.named").match(text, match.end())
            before = compiled("third_parties.named_before").search(text[max(0, match.start() - 40) : match.start()])
            names |= {behind[1]} if behind else set()
            names |= {before[1] or before[2]} if before else set()
    return frozenset(name.casefold() for name in names)


def private_reason(text: str, household: frozenset[str] = frozenset()) -> str | None:
    """Return the reason that a statement is private to another person, or None. `household` contains household names."""
    plain = straight(text)
    if has_wording("charge", plain):
        return "of somebody in the user's care"
    if has_wording("confided", plain) and _is_about_somebody(plain):
        return OF_SOMEBODY_ELSE
    stranger = own = False
    for piece in compiled("clauses.part_end").split(plain):
        own = is_about_the_users_own(piece, household) or (own and not compiled("third_parties.their_subject").match(piece))
        stranger = has_wording("outsider", piece) or (stranger and not own)
        if has_wording("sensitive", piece) and (stranger or (not own and _is_about_somebody(piece))):
            return OF_SOMEBODY_ELSE
    return None


def is_about_an_outsider(text: str) -> bool:
    """Return whether a text is about a person outside the household, so that a later "he" refers to them."""
    return has_wording("outsider", text) and not has_wording("household", text)


def is_about_the_users_own(text: str, household: frozenset[str]) -> bool:
    """Return whether a text is about the user or a member of the household."""
    names = {word.casefold().removesuffix("'s") for word in re.findall(r"[\w']+", text)}
    own = speaks_of_self(text) or mentions_the_user(text)
    return own or has_wording("household", text) or not household.isdisjoint(names)


def speaks_of_self(text: str) -> bool:
    """Return whether a text contains a word in the first person."""
    return compiled("third_parties.first_person").search(straight(text)) is not None


def _is_about_somebody(piece: str) -> bool:
    """Return whether a text mentions another person. The capitalized first word of a sentence doesn't count as a name."""
    opener, subject = wording_pattern("sentence_opener"), compiled("third_parties.their_subject")
    words = (match[0] for match in compiled("third_parties.they").finditer(piece))
    return any(not opener.fullmatch(word) or subject.match(word) for word in words)
