"""Find the person that a sentence is about, who may be the user."""

import functools
import re

from commonplace.extraction.content_words import names_of, stems_of
from commonplace.extraction.patterns import compiled, has_wording, wording_pattern
from commonplace.text.foundation.characters import WORD, has_kana, straight

_THE_USER = frozenset({"the user"})
_NEIGHBOUR = re.compile(r"隣|.さん$")
_OPENING, _CLOSE, _LEAD = 45, 22, 12


@functools.lru_cache(maxsize=1024)
def _find_subject(sentence: str) -> frozenset[str] | None:
    """Return `_THE_USER`, or the stems of the words for another person, or None if the subject is unclear."""
    opening = straight(sentence[:_OPENING]).lstrip()
    owner = _find_owner(opening)
    if owner:
        return stems_of(owner)
    user = compiled("subjects.first").match(opening)
    person = wording_pattern("household").search(opening) or wording_pattern("outsider").search(opening[:_CLOSE])
    if person and person.start() <= (user.start("who") if user else _LEAD):
        return stems_of(person[0])
    unnamed = has_kana(sentence) or has_wording("over_for_me", sentence)  # these sentences don't mention the speaker
    return _THE_USER if user or unnamed else None


def _find_owner(opening: str) -> str | None:
    """Return the person outside the household in a phrase like "the daughter of my friend" ("my friend"), or None."""
    match = compiled("subjects.of").match(opening)
    if match is None:
        return None
    owner = match["whose"] or match["owner"]
    outside = wording_pattern("outsider").fullmatch(owner) or (match["owner"] and _NEIGHBOUR.search(owner))
    return owner if outside else None


def have_different_subjects(first: str, other: str) -> bool:
    """Return whether two sentences are clearly about different people."""
    ours, theirs = _find_subject(first), _find_subject(other)
    return ours is not None and theirs is not None and ours.isdisjoint(theirs)


def is_of_another(request: str, text: str) -> bool:
    """Return whether one text is about the user, and the other is about a person whom the first doesn't mention.

    Examples are "I love tea" and "my son loves tea".
    """
    plain_request, plain = straight(request), straight(text)
    if compiled("subjects.speaker").match(plain_request):
        return _lacks_person(_find_subject(text), request) and not _includes_the_user(plain)
    return compiled("subjects.speaker").match(plain) is not None and _lacks_person(_find_subject(request), text)


def _includes_the_user(plain: str) -> bool:
    """Return whether a sentence about another person is also about the user ("my son has asthma like me")."""
    text = wording_pattern("household").sub(" ", plain)
    own = compiled("subjects.mine").search(text if text.startswith(" ") else compiled("subjects.opener").sub("", text))
    return own is not None or compiled("subjects.i_or_we").search(plain) is not None


def _lacks_person(person: frozenset[str] | None, text: str) -> bool:
    """Return whether `person` is someone other than the user, and the text doesn't mention them."""
    return person not in (None, _THE_USER) and person.isdisjoint(stems_of(text))


def swaps_roles(new: str, old: str) -> bool:
    """Return whether the user and another person have opposite roles in two sentences ("I owe Ben", "Ben owes me")."""
    for first, other in ((new, old), (old, new)):
        opening = WORD.search(other)
        if compiled("subjects.first").match(first) and opening and opening[0].casefold() in names_of(first):
            return True
    return False
