"""The guard of merging: tags that vectors hold for one and that are two."""

import re

from commonplace.tagging.folding import fold
from commonplace.tagging.names import canonical
from commonplace.tagging.tables import alias_groups, kinds
from commonplace.tagging.topics import topic_names

_DIGITS = re.compile(r"\d+")
_OPPOSED = ("non", "un", "in", "anti", "dis", "pre", "post", "ex", "no")
_INFLECTED = re.compile(r"(?:e?s|ing|ings|ed|al|ally|ion|ions|ment|ness|ic|ical)?$")
_SHORTEST = 4


def are_siblings(first: str, second: str) -> bool:
    """Whether two tags are two things, however close: of one kind, opposites, versions, or one a sort of the other."""
    one, other = canonical(first), canonical(second)
    if min(len(one), len(other)) < _SHORTEST or _DIGITS.findall(one) != _DIGITS.findall(other):
        return True
    if _known(one) and _known(other):
        return True
    if _of_one_kind(fold(first), fold(second)) or _of_one_kind(one, other) or _opposed(one, other) or _opposed(other, one):
        return True
    return _narrower(one, other) or _narrower(fold(first), fold(second))


def _known(name: str) -> bool:
    """Two names that the tables know, and not as one thing, are two things."""
    return name in topic_names() or name in alias_groups()


def _of_one_kind(one: str, other: str) -> bool:
    ones, others = {one, *one.split("-")}, {other, *other.split("-")}
    return any(_kinds(part) & _kinds(rest) for part in ones - others for rest in others - ones)


def _kinds(name: str) -> frozenset[int]:
    return kinds().get(name) or kinds().get(canonical(name), frozenset())


def _opposed(one: str, other: str) -> bool:
    return any(one in (prefix + other, f"{prefix}-{other}") for prefix in _OPPOSED)


def _narrower(one: str, other: str) -> bool:
    """Whether they share a word or a beginning, and the rest is more than an ending (`tea`, `green-tea`)."""
    if "-" in one or "-" in other:
        beginnings = [{part[:_SHORTEST] for part in name.split("-")} for name in (one, other)]
        return bool(beginnings[0] & beginnings[1])
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and not _INFLECTED.match(long[len(short) :])
