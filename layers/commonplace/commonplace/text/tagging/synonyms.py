"""Other words for the same: which new tag means one that is there, and what a search may look for beside its words."""

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise

from commonplace.text.foundation.characters import bare
from commonplace.text.tagging.names import canonical, same_thing, singular, standard
from commonplace.text.tagging.tables import alias_groups, function_words, kinds, listed, topic_names
from commonplace.text.tagging.tokens import Word, spoken
from commonplace.text.tagging.topics import Hit, hits, lexicon, run_hits

_DIGITS = re.compile(r"\d+")
_INFLECTED = re.compile(r"(?:e?s|ing|ings|ed|al|ally|ion|ions|ment|ness|ic|ical)?$")
_SHORTEST = 4

SAME_MEANING = 0.7
_ALIKE_START = 3
_MOST_ALIKE = 6
_MOST_COMPARED = 32
Cosine = Callable[[str, str], float | None]
_ALIASES_A_WORD = 2
_SHIPPED = ("de", "fr", "es")


def are_siblings(first: str, second: str) -> bool:
    """Whether two tags are two things, however close: of one kind, opposites, versions, or one a sort of the other."""
    one, other = canonical(first), canonical(second)
    if min(len(one), len(other)) < _SHORTEST or _DIGITS.findall(one) != _DIGITS.findall(other):
        return True
    if _known(one) and _known(other):
        return True
    if _of_one_kind(bare(first), bare(second)) or _of_one_kind(one, other) or _opposed(one, other) or _opposed(other, one):
        return True
    return _narrower(one, other) or _narrower(bare(first), bare(second))


def _known(name: str) -> bool:
    """Two names that the tables know, and not as one thing, are two things."""
    return name in topic_names() or name in alias_groups()


def _of_one_kind(one: str, other: str) -> bool:
    ones, others = {one, *one.split("-")}, {other, *other.split("-")}
    return any(_kinds(part) & _kinds(rest) for part in ones - others for rest in others - ones)


def _kinds(name: str) -> frozenset[int]:
    return kinds().get(name) or kinds().get(canonical(name), frozenset())


def _opposed(one: str, other: str) -> bool:
    return any(one in (prefix + other, f"{prefix}-{other}") for prefix in listed("prefixes.opposed"))


def _narrower(one: str, other: str) -> bool:
    """Whether they share a word or a beginning, and the rest is more than an ending (`tea`, `green-tea`)."""
    if "-" in one or "-" in other:
        beginnings = [{part[:_SHORTEST] for part in name.split("-")} for name in (one, other)]
        return bool(beginnings[0] & beginnings[1])
    short, long = sorted((one, other), key=len)
    return long.startswith(short) and not _INFLECTED.match(long[len(short) :])


def consolidate(new_tags: list[str], existing: Mapping[str, int], cosine: Cosine) -> dict[str, str]:
    """New tag -> the tag that stands for it: its longer standard form, or the user's own; only those that change.

    An abbreviation is written in full, whichever the user had first. `existing`: tag -> how many memories have it.
    `cosine`: similarity of two tags, -1 to 1, None when unknown; asked at most 32 times in all.
    """
    full = {tag: standard(tag) for tag in dict.fromkeys(new_tags)}
    own = _own_names([tag for tag in dict.fromkeys(full.values()) if tag not in existing], existing, cosine)
    renamed = {tag: own.get(name, name) for tag, name in full.items() if tag not in existing or tag != name}
    return {tag: name for tag, name in renamed.items() if tag != name}


def _own_names(unknown: Sequence[str], existing: Mapping[str, int], cosine: Cosine) -> dict[str, str]:
    """Tags that the user doesn't have -> those of the user's own that stand for them."""
    by_use = sorted(existing, key=lambda tag: (-existing[tag], tag))
    own: dict[str, str] = {}
    for tag in by_use:
        own.setdefault(same_thing(tag), _shown(tag))
    renamed = {tag: own[same_thing(tag)] for tag in unknown if same_thing(tag) in own}
    left = [tag for tag in unknown if tag not in renamed]
    starts = {tag[:_ALIKE_START] for tag in left}
    alike = [tag for tag in by_use if tag[:_ALIKE_START] in starts]
    for tag in left:
        if nearest := _nearest(tag, alike, by_use, cosine, _MOST_COMPARED // len(left)):
            renamed[tag] = nearest
    return renamed


def _shown(tag: str) -> str:
    """An own tag as others fold into it: a thing that has abbreviations goes by its full name alone."""
    names = alias_groups().get(bare(tag), (tag,))
    return names[0] if any(standard(name) == names[0] != name for name in names) else tag


def _nearest(tag: str, alike: Sequence[str], by_use: Sequence[str], cosine: Cosine, budget: int) -> str | None:
    """The most similar own tag that may stand for it, of those that begin like it and then of the most used."""
    first = [own for own in alike if own[:_ALIKE_START] == tag[:_ALIKE_START]][:_MOST_ALIKE]
    asked = [*first, *(own for own in by_use[: budget + _MOST_ALIKE] if own not in first)][:budget]
    scored = [(score, own) for own in asked if (score := cosine(tag, own)) is not None and score >= SAME_MEANING]
    return next((own for _, own in sorted(scored, reverse=True) if not are_siblings(tag, own)), None)


def expansions(words: Sequence[str]) -> dict[str, str]:
    """The topics of the words and other names of them, best first, none of them among the words; each with what it widens.

    `words`: those of a query as the analyzer gives them. A topic is the tag that a memory about it would carry.
    """
    asked = set(words)
    found: dict[str, str] = {}
    for name, widened in (*_topics(words), *_aliases(words)):
        if not asked.issuperset(name.split("-")):
            found.setdefault(name, widened)
    return found


def _topics(words: Sequence[str]) -> list[tuple[str, str]]:
    """Topics of the words, each with its words; another language is asked for a word that no English trigger takes."""
    text = spoken(list(words))
    english = hits(text, lexicon("en"), "en")
    taken = {at for hit in english for at in range(hit.start, hit.end)}
    rest = [word for at, word in enumerate(text) if at not in taken and word.key not in function_words("en")]
    named = [(hit.topic, _said(text, hit)) for hit in english]
    for language in _SHIPPED if rest else ():
        named += [(hit.topic, _said(rest, hit)) for hit in hits(rest, lexicon(language), language)]
    runs = [bare(word) for word in words if not word.isascii()]
    for language in ("ja", "zh") if runs else ():
        named += [(hit.topic, run[hit.start : hit.end]) for run in runs for hit in run_hits([run], lexicon(language))]
    return named


def _said(words: Sequence[Word], hit: Hit) -> str:
    return " ".join(word.text for word in words[hit.start : hit.end])


def _aliases(words: Sequence[str]) -> list[tuple[str, str]]:
    """Names from the shipped table for single words and for two in a row."""
    found: list[tuple[str, str]] = []
    single = [word for word in words if word not in function_words("en")]
    for name in (*map("-".join, pairwise(words)), *single):
        groups = alias_groups()
        members = groups.get(name) or groups.get(singular(name)) or ()
        others = [member for member in members if member != name and singular(name) != member]
        found += [(other, name.replace("-", " ")) for other in others[:_ALIASES_A_WORD]]
    return found
