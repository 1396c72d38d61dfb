"""Find the existing tag with the same meaning as a new one, and find additional names for the words in a query.

The alias table, the spelling or the vectors of two tags show that they have the same meaning.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import bare
from commonplace.text.foundation.english import is_english, is_known
from commonplace.text.tagging.names import american, canonical, forms, same_thing, singular, standard
from commonplace.text.tagging.tables import LANGUAGES, alias_groups, function_words, kinds, listed, scales, topic_names
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
    """Return whether similar tags are opposites, versions, short names, known names, of one kind, or a thing and its kind."""
    short, other = canonical(first), canonical(second)
    if min(len(short), len(other)) < _SHORTEST or _DIGITS.findall(short) != _DIGITS.findall(other):
        return True
    if all(name in topic_names() or name in alias_groups() for name in (short, other)):
        return True
    if _has_same_kind(bare(first), bare(second)) or _has_same_kind(short, other) or _is_opposed_by_prefix(short, other):
        return True
    return _is_narrower(short, other) or _is_narrower(bare(first), bare(second))


def _has_same_kind(first: str, other: str) -> bool:
    ours, theirs = {first, *first.split("-")}, {other, *other.split("-")}
    return any(_get_kinds(part) & _get_kinds(other_part) for part in ours - theirs for other_part in theirs - ours)


def _get_kinds(name: str) -> frozenset[int]:
    return kinds().get(name) or kinds().get(canonical(name), frozenset())


def _is_opposed_by_prefix(first: str, other: str) -> bool:
    pairs = ((first, other), (other, first))
    return any(tag in (prefix + base, f"{prefix}-{base}") for prefix in listed("prefixes.opposed") for tag, base in pairs)


def _is_narrower(first: str, other: str) -> bool:
    """Return whether one tag narrows the other (`tea`, `green-tea`) and is not just an inflected form."""
    if "-" in first or "-" in other:
        beginnings = [{part[:_SHORTEST] for part in name.split("-")} for name in (first, other)]
        return bool(beginnings[0] & beginnings[1])
    short, long = sorted((first, other), key=len)
    return long.startswith(short) and not _INFLECTED.match(long[len(short) :])


def consolidate(new_tags: list[str], existing: Mapping[str, int], cosine: Cosine) -> dict[str, str]:
    """Map each new tag to the tag that replaces it (its full standard form or the user's own tag), unless it stays unchanged.

    `existing` maps each of the user's tags to its number of memories. `cosine` returns the similarity of two tags (-1 to 1),
    or None if the similarity is unknown, and is called at most 32 times.
    """
    full = {tag: standard(tag) for tag in dict.fromkeys(new_tags)}
    own = _map_to_own_tags([tag for tag in dict.fromkeys(full.values()) if tag not in existing], existing, cosine)
    renamed = {tag: own.get(name, name) for tag, name in full.items() if tag not in existing or tag != name}
    return {tag: name for tag, name in renamed.items() if tag != name}


def _map_to_own_tags(unknown: Sequence[str], existing: Mapping[str, int], cosine: Cosine) -> dict[str, str]:
    """Map unknown tags to the user's existing tags with the same meaning."""
    by_use = sorted(existing, key=lambda tag: (-existing[tag], tag))
    things = {tag: same_thing(tag) for tag in unknown}
    own = {same_thing(tag): tag for tag in reversed(by_use)}  # among equivalent tags, the most used one wins
    renamed = {tag: _get_full_name(own[thing]) for tag, thing in things.items() if thing in own}
    left = [tag for tag in unknown if tag not in renamed]
    starts = {tag[:_ALIKE_START] for tag in left}
    alike = [tag for tag in by_use if tag[:_ALIKE_START] in starts]
    for tag in left:
        if nearest := _find_nearest_tag(tag, alike, by_use, cosine, _MOST_COMPARED // len(left)):
            renamed[tag] = nearest
    return renamed


def _get_full_name(tag: str) -> str:
    """Return the name that replaces tags with the same meaning as `tag`. If `tag` has short forms, this is the full form."""
    names = alias_groups().get(bare(tag), (tag,))
    return names[0] if any(standard(name) == names[0] != name for name in names) else tag


def _find_nearest_tag(tag: str, alike: Sequence[str], by_use: Sequence[str], cosine: Cosine, budget: int) -> str | None:
    """Return the user's nearest tag with the same meaning, or None. At most `budget` tags are compared, `alike` first."""
    first = [own for own in alike if own[:_ALIKE_START] == tag[:_ALIKE_START]][:_MOST_ALIKE]
    compared = [*first, *(own for own in by_use[: budget + _MOST_ALIKE] if own not in first)][:budget]
    scored = [(score, own) for own in compared if (score := cosine(tag, own)) is not None and score >= SAME_MEANING]
    return next((own for _, own in sorted(scored, reverse=True) if not are_siblings(tag, own)), None)


def expansions(words: Sequence[str]) -> dict[str, str]:
    """Map topics and other names that broaden a query, best first, to the words in the query from which they come.

    `words` contains the query's words from the tokenizer. Names that only repeat these words are left out.
    """
    own_words = set(words)
    names: dict[str, str] = {}
    for name, widened in (*_find_topics(words), *_find_aliases(words)):
        if not own_words.issuperset(name.split("-")):
            names.setdefault(name, widened)
    return names


def _find_topics(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return each topic with the words that express it. Words without an English topic are looked up in other languages."""
    text = spoken(list(words))
    english = hits(text, lexicon("en"), "en")
    taken = {at for hit in english for at in range(hit.start, hit.end)}
    unread = [word for at, word in enumerate(text) if at not in taken and word.key not in function_words("en")]
    named = [(hit.topic, _join_hit_words(text, hit)) for hit in english]
    for language in _SHIPPED if unread else ():
        named += [(hit.topic, _join_hit_words(unread, hit)) for hit in hits(unread, lexicon(language), language)]
    runs = [bare(word) for word in words if not word.isascii()]
    for language in ("ja", "zh") if runs else ():
        named += [(hit.topic, run[hit.start : hit.end]) for run in runs for hit in run_hits([run], lexicon(language))]
    return named


def _join_hit_words(words: Sequence[Word], hit: Hit) -> str:
    return " ".join(word.text for word in words[hit.start : hit.end])


def _find_aliases(words: Sequence[str]) -> list[tuple[str, str]]:
    """Return pairs of another name and its words in the query. Each word, or pair of words, has at most two other names."""
    pairs: list[tuple[str, str]] = []
    single = [word for word in words if word not in function_words("en")]
    for name in (*map("-".join, pairwise(words)), *single):
        groups = alias_groups()
        members = groups.get(name) or groups.get(singular(name)) or ()
        synonyms = [member for member in members if member != name and singular(name) != member]
        pairs += [(other, name.replace("-", " ")) for other in synonyms[:_ALIASES_A_WORD]]
    return pairs


ALIAS, INITIALS, SPELLING = "another name of it", "its initials", "the same in another spelling"
TYPO, MEANING = "one letter is wrong", "the same meaning"
OTHER_DIGITS, NO_WORD = "other numbers", "they share no word"
SIBLINGS = "two of one kind, or one a sort of the other"

_OWN_LETTERS = "äöüåøñ"  # in a short word, such a letter makes a different word ("bar", "bär")
_SHORT_WORD = 5
_LEAST_INITIALS, _LEAST_TYPO, _FREQUENT = 2, 6, 3
_SURE = 0.9


@dataclass(frozen=True)
class OwnTags:
    """A user's tags. `uses` maps each tag to its number of memories. `has_word` tests whether a model knows a word.

    `abbreviates` tests whether a memory with the first tag shows that this tag is short for the second tag.
    """

    uses: Mapping[str, int]
    has_word: Callable[[str], bool] = lambda _word: False
    abbreviates: Callable[[str, str], bool] = lambda _short, _long: False


@dataclass(frozen=True)
class Likeness:
    """The similarity of two tags, from 0 to 1, and the reason for it. `difference` is the reason that they differ, if any."""

    similarity: float
    why: str
    difference: str | None = None


def likeness(first: str, other: str, own: OwnTags, cosine: float | None, scale: tuple[float, float] | None) -> Likeness:
    """Compare two tags. `cosine` compares their vectors. `scale` is the result of `scale_of` for the vectors' model."""
    if group_of(first) is not None and group_of(first) == group_of(other):
        return Likeness(1.0, ALIAS)
    near = 0.0 if cosine is None or scale is None else (cosine - scale[0]) / (scale[1] - scale[0])
    near = round(min(1.0, max(0.0, near)), 3)
    if _DIGITS.findall(bare(first)) != _DIGITS.findall(bare(other)):
        return Likeness(near, MEANING, OTHER_DIGITS)
    why = _compare_spelling(first, other, own, near)
    if why is not None:
        return Likeness(1.0, why)
    is_different = _is_other_meaning(first, other) or _is_derived(first, other) or are_siblings(first, other)
    shares = bool(stems_of(first) & stems_of(other))
    return Likeness(near, MEANING, SIBLINGS if is_different else None if shares else NO_WORD)


def stems_of(tag: str) -> frozenset[str]:
    """Return the stems of a tag's words."""
    return frozenset(tokenizer.terms(tag.replace("-", " ")))


def scale_of(model: str) -> tuple[float, float] | None:
    """Return a model's typical cosines for unrelated tags and for tags with the same meaning, or None if not measured."""
    return scales().get(model)


def winner(first: str, other: str, own: OwnTags) -> str:
    """Return the better name of two equivalent tags, by alias table, then by full form, correct spelling and use."""
    group = group_of(first)
    if group is not None and group == group_of(other):
        return group
    if _is_initials(first, other) or _is_initials(other, first):
        return max(first, other, key=len)
    return min(first, other, key=lambda tag: (not _has_known_words(tag, own), -own.uses.get(tag, 0), len(tag), tag))


def group_of(tag: str) -> str | None:
    """Return a tag's preferred name from the alias table, or None."""
    groups, plain = alias_groups(), canonical(tag)
    return groups[plain][0] if plain in groups else None


def _compare_spelling(first: str, other: str, own: OwnTags, near: float) -> str | None:
    """Return the reason that two tags are the same (`SPELLING`, `INITIALS` or `TYPO`), or None if they aren't."""
    if _is_other_meaning(first, other):
        return None
    if same_thing(first) == same_thing(other):
        return SPELLING
    if any(_is_initials(short, long) and own.abbreviates(short, long) for short, long in ((first, other), (other, first))):
        return INITIALS
    rare = min(own.uses.get(first, 0), own.uses.get(other, 0)) < _FREQUENT
    # A replaced letter just as often makes a different name ("Hamburg", "Homburg").
    likely = len(first) != len(other) or near >= _SURE or sorted(first) == sorted(other)
    return TYPO if rare and likely and _is_typo(first, other, own) else None


def _is_other_meaning(first: str, other: str) -> bool:
    """Return whether a plural, hyphen or accent gives two tags different meanings, or both are things of the same kind.

    For example, "glass" and "glasses" have different meanings, and so do "resign" and "re-sign", and "bar" and "bär".
    """
    short, long = sorted((bare(first), bare(other)), key=len)
    marked = [[char for char in tag.casefold() if char in _OWN_LETTERS] for tag in (first, other)]
    if short == long and len(short) <= _SHORT_WORD and marked[0] != marked[1]:
        return True
    if long in listed("hyphens.other") and short == long.replace("-", ""):
        return True
    another = long in listed("plurals.other") and short == long.removesuffix("s").removesuffix("e" * (short[-1:] != "e"))
    return another or bool(_get_tag_kinds(first) & _get_tag_kinds(other) and canonical(first) != canonical(other))


def _is_derived(first: str, other: str) -> bool:
    """Return whether one word is derived from the other but has a different meaning, like "physical" and "physics"."""
    short, long = sorted((bare(first), bare(other)), key=len)
    if any(long in (f"{base}ing", f"{base.removesuffix('e')}ing") for base in (short, singular(short))):
        return True
    ours, theirs = (next((end for end in listed("endings.derived") if bare(tag).endswith(end)), "") for tag in (first, other))
    return ours != theirs


def _get_tag_kinds(tag: str) -> frozenset[int]:
    return kinds().get(bare(tag), frozenset()) | kinds().get(canonical(tag), frozenset())


def _is_initials(short: str, long: str) -> bool:
    """Return whether `short` consists of the initials of `long` ("nyc") and is no known tag and no word."""
    words = [word for word in bare(long).split("-") if word]
    letters = bare(short)
    if len(letters) < _LEAST_INITIALS or len(words) != len(letters) or letters in alias_groups():
        return False
    if letters != "".join(word[0] for word in words) or is_english(letters):
        return False
    return not any(letters in some for some in (kinds(), topic_names(), *map(function_words, LANGUAGES)))


def _is_typo(first: str, other: str, own: OwnTags) -> bool:
    """Return whether exactly one of the words is known, and they differ by one changed, missing or swapped letter."""
    plain = bare(first), bare(other)
    if min(map(len, plain)) < _LEAST_TYPO or plain[0][0] != plain[1][0] or any(map(str.isdigit, "".join(plain))):
        return False
    ours, theirs = (tag.split("-") for tag in plain)
    if len(ours) != len(theirs):
        return False
    changed = [(left, right) for left, right in zip(ours, theirs, strict=True) if left != right]
    if len(changed) != 1 or min(map(len, changed[0])) < _LEAST_TYPO:
        return False
    if changed[0][0][-1] != changed[0][1][-1]:  # "Daniel" and "Daniela" are different
        return False
    return _is_single_edit(*changed[0]) and _has_known_words(changed[0][0], own) != _has_known_words(changed[0][1], own)


def _has_known_words(tag: str, own: OwnTags) -> bool:
    return all(_is_known_word(word, own) or _is_known_word(american(word), own) for word in bare(tag).split("-"))


def _is_known_word(word: str, own: OwnTags) -> bool:
    if own.has_word(word) or any(word in names for names in (topic_names(), alias_groups(), kinds())):
        return True  # checked before the dictionary, which loads slowly
    # `is_english` accepts any unknown word with the ending of a past form
    return any(map(is_known, forms(word, "en"))) or (is_english(word) and not word.endswith("ed"))


def _is_single_edit(first: str, other: str) -> bool:
    short, long = sorted((first, other), key=len)
    if len(long) - len(short) > 1:
        return False
    at = next((place for place, char in enumerate(short) if char != long[place]), len(short))
    if len(short) < len(long):
        return short[at:] == long[at + 1 :]
    swapped = short[at : at + 2] == long[at : at + 2][::-1] and short[at + 2 :] == long[at + 2 :]
    return swapped or short[at + 1 :] == long[at + 1 :]
