"""Whether two tags of one user mean the same: by the shipped names and the spelling, else by their vectors."""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import bare
from commonplace.text.foundation.english import is_english
from commonplace.text.tagging.names import canonical, same_thing
from commonplace.text.tagging.synonyms import are_siblings
from commonplace.text.tagging.tables import alias_groups, kinds, listed, scales, topic_names

ALIAS, INITIALS, SPELLING = "another name of it", "its initials", "the same in another spelling"
TYPO, MEANING = "one letter is wrong", "the same meaning"
OTHER_DIGITS, NO_WORD = "other numbers", "they share no word"
SIBLINGS = "two of one kind, or one a sort of the other"

_DIGITS = re.compile(r"\d+")
_LEAST_INITIALS, _LEAST_TYPO, _FREQUENT = 2, 6, 3
_SURE = 0.9


@dataclass(frozen=True)
class Likeness:
    """How alike two tags are, 0 to 1, and why. `apart`: why they stay two all the same."""

    similarity: float
    why: str
    apart: str | None = None


def likeness(
    one: str, other: str, uses: Mapping[str, int], cosine: float | None, scale: tuple[float, float] | None
) -> Likeness:
    """How alike two tags are. `uses`: of the user's tags by tag; `cosine`: of their vectors; `scale`: the cosine of what is
    unrelated and of what means the same, by that model."""
    if group_of(one) is not None and group_of(one) == group_of(other):
        return Likeness(1.0, ALIAS)
    near = 0.0 if cosine is None or scale is None else (cosine - scale[0]) / (scale[1] - scale[0])
    near = round(min(1.0, max(0.0, near)), 3)
    if _DIGITS.findall(bare(one)) != _DIGITS.findall(bare(other)):
        return Likeness(near, MEANING, OTHER_DIGITS)
    why = _spelled(one, other, uses, near)
    if why is not None:
        return Likeness(1.0, why)
    apart = _is_of_two(one, other) or _is_derived(one, other) or are_siblings(one, other)
    shares = bool(stems_of(one) & stems_of(other))
    return Likeness(near, MEANING, SIBLINGS if apart else None if shares else NO_WORD)


def stems_of(tag: str) -> frozenset[str]:
    """The stems of a tag's words."""
    return frozenset(tokenizer.terms(tag.replace("-", " ")))


def scale_of(model: str) -> tuple[float, float] | None:
    """The cosines by a model of tags that are unrelated, and of such that mean the same; None for one never measured."""
    return scales().get(model)


def winner(one: str, other: str, uses: Mapping[str, int]) -> str:
    """Under which of two names for one thing both go on: the table's, the longer of an abbreviation, else the most used."""
    group = group_of(one)
    if group is not None and group == group_of(other):
        return group
    if _is_initials(one, other) or _is_initials(other, one):
        return max(one, other, key=len)
    if _is_typo(one, other):
        return one if _is_known(one) else other
    return min(one, other, key=lambda tag: (-uses.get(tag, 0), len(tag), tag))


def group_of(tag: str) -> str | None:
    """The preferred name of the thing in the shipped table."""
    groups, plain = alias_groups(), canonical(tag)
    return groups[plain][0] if plain in groups else None


def _spelled(one: str, other: str, uses: Mapping[str, int], near: float) -> str | None:
    if _is_of_two(one, other):
        return None
    if same_thing(one) == same_thing(other):
        return SPELLING
    if _is_initials(one, other) or _is_initials(other, one):
        return INITIALS
    rare = min(uses.get(one, 0), uses.get(other, 0)) < _FREQUENT
    typed = rare and _is_typo(one, other) and (len(one) != len(other) or near >= _SURE or sorted(one) == sorted(other))
    return TYPO if typed else None  # another letter in the place of one is as often another name ("Hamburg", "Homburg")


def _is_of_two(one: str, other: str) -> bool:
    """Whether a plural means something else ("glass", "glasses"), or both are names of one kind."""
    short, long = sorted((bare(one), bare(other)), key=len)
    another = long in listed("plurals.other") and short == long.removesuffix("s").removesuffix("e" * (short[-1:] != "e"))
    return another or bool(_kinds(one) & _kinds(other) and canonical(one) != canonical(other))


def _is_derived(one: str, other: str) -> bool:
    """Whether one of two words is what is like, does or comes of the other ("physics", "physical"; "bank", "banking")."""
    short, long = sorted((bare(one), bare(other)), key=len)
    if long in (f"{short}ing", f"{short.removesuffix('e')}ing"):
        return True
    ours, theirs = (next((end for end in listed("endings.derived") if bare(tag).endswith(end)), "") for tag in (one, other))
    return ours != theirs


def _kinds(tag: str) -> frozenset[int]:
    return kinds().get(bare(tag), frozenset()) | kinds().get(canonical(tag), frozenset())


def _is_initials(short: str, long: str) -> bool:
    """Whether a tag is the first letters of another's words; not of what the table knows, nor a word of its own."""
    words = [word for word in bare(long).split("-") if word]
    letters = bare(short)
    if len(letters) < _LEAST_INITIALS or len(words) != len(letters) or letters in alias_groups():
        return False
    return letters == "".join(word[0] for word in words) and letters not in topic_names()


def _is_typo(one: str, other: str) -> bool:
    """Whether one is a word that is known, and the other it with one letter changed, left out, added or turned round."""
    plain = bare(one), bare(other)
    if min(map(len, plain)) < _LEAST_TYPO or plain[0][0] != plain[1][0] or any(map(str.isdigit, "".join(plain))):
        return False
    ours, theirs = (tag.split("-") for tag in plain)
    if len(ours) != len(theirs):
        return False
    changed = [(left, right) for left, right in zip(ours, theirs, strict=True) if left != right]
    if len(changed) != 1 or min(map(len, changed[0])) < _LEAST_TYPO:
        return False
    if changed[0][0][-1] != changed[0][1][-1]:  # "Daniel" and "Daniela" are two
        return False
    return _is_one_edit(*changed[0]) and _is_known(changed[0][0]) != _is_known(changed[0][1])


def _is_known(tag: str) -> bool:
    """Whether each word of a tag is one that is known."""
    known = (topic_names(), alias_groups(), kinds())
    return all(is_english(word) or any(word in names for names in known) for word in bare(tag).split("-"))


def _is_one_edit(one: str, other: str) -> bool:
    short, long = sorted((one, other), key=len)
    if len(long) - len(short) > 1:
        return False
    at = next((place for place, char in enumerate(short) if char != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    return short[at + 1 :] == long[at + 1 :] or (
        short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    )
