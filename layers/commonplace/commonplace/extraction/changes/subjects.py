"""Whom a sentence is about: the user, or a person close to them."""

import functools
import re

from commonplace.extraction.content_words import names_of, stems_of
from commonplace.extraction.patterns import compiled, has_wording, wording_pattern
from commonplace.text.foundation.characters import WORD, has_kana, straight

_THE_USER = frozenset({"the user"})
_NEIGHBOUR = re.compile(r"隣|.さん$")
_OPENING, _CLOSE, _LEAD = 45, 22, 12


@functools.lru_cache(maxsize=1024)
def _subject(sentence: str) -> frozenset[str] | None:
    """The person a sentence is about: the user, or the words that name somebody of theirs; None if unclear."""
    opening = straight(sentence[:_OPENING]).lstrip()
    owner = _owner(opening)
    if owner:
        return stems_of(owner)
    user = compiled("subjects.first").match(opening)
    found = wording_pattern("household").search(opening) or wording_pattern("outsider").search(opening[:_CLOSE])
    if found and found.start() <= (user.start("who") if user else _LEAD):
        return stems_of(found[0])
    unnamed = has_kana(sentence) or has_wording("over_for_me", sentence)  # there whoever speaks is not named
    return _THE_USER if user or unnamed else None


def _owner(opening: str) -> str | None:
    """The person outside the household to whom the named one belongs ("my friend" of "the daughter of my friend")."""
    found = compiled("subjects.of").match(opening)
    if found is None:
        return None
    whose = found["whose"] or found["owner"]
    outside = wording_pattern("outsider").fullmatch(whose) or (found["owner"] and _NEIGHBOUR.search(whose))
    return whose if outside else None


def have_different_subjects(one: str, other: str) -> bool:
    """Whether two sentences are clearly about different people."""
    ours, theirs = _subject(one), _subject(other)
    return ours is not None and theirs is not None and ours.isdisjoint(theirs)


def is_of_another(request: str, text: str) -> bool:
    """Whether one says of the user alone what the other says of somebody of theirs whom it does not name: "I love tea" and
    "my son loves tea"."""
    plain_wish, plain = straight(request), straight(text)
    if compiled("subjects.speaker").match(plain_wish):
        return _lacks_person(_subject(text), request) and not _has_the_user(plain)
    return compiled("subjects.speaker").match(plain) is not None and _lacks_person(_subject(request), text)


def _has_the_user(plain: str) -> bool:
    """Whether the user is included in a sentence about somebody of theirs: "my son has asthma like me"."""
    rest = wording_pattern("household").sub(" ", plain)
    own = compiled("subjects.mine").search(rest if rest.startswith(" ") else compiled("subjects.opener").sub("", rest))
    return own is not None or compiled("subjects.i_or_we").search(plain) is not None


def _lacks_person(whose: frozenset[str] | None, text: str) -> bool:
    """Whether a text does not mention this person of the user's."""
    return whose not in (None, _THE_USER) and whose.isdisjoint(stems_of(text))


def swaps_roles(new: str, old: str) -> bool:
    """Whether two sentences tell the same with roles exchanged: "I owe Ben", "Ben owes me"."""
    return any(
        compiled("subjects.first").match(one) and _opening_word(other) in names_of(one)
        for one, other in ((new, old), (old, new))
    )


def _opening_word(text: str) -> str:
    found = WORD.search(text)
    return found[0].casefold() if found else ""
