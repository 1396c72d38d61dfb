"""English inflection, as far as needed to tell `cuts` from `cut`, a cat from cats, and now from then."""

import functools
from collections.abc import Mapping

from commonplace.text.paraphrase.language import lines

BASE, S, ING, PAST = "base", "s", "ing", "past"
Reading = tuple[str, str]
"""A lemma and the form it stands in."""
_VOWELS = "aeiou"
_SHORTEST = 3


@functools.lru_cache(maxsize=4096)
def readings(word: str) -> tuple[Reading, ...]:
    """Every (lemma, form) an English word may be, itself as a base form first; `left` is a base and the past of `leave`."""
    found: dict[Reading, None] = {(word, BASE): None}
    if "_" in word:
        return tuple(found | _phrase_readings(word))
    found.update(dict.fromkeys(_irregular().get(word, ())))
    if word.isascii() and word not in _uninflected():
        for form, lemmas in ((S, _without_s(word)), (ING, _without(word, "ing")), (PAST, _without(word, "ed"))):
            found.update({(lemma, form): None for lemma in lemmas})
    return tuple(found)


def lemmas(word: str) -> tuple[str, ...]:
    """The lemmas a word may belong to, itself first."""
    return tuple(dict.fromkeys(lemma for lemma, _ in readings(word)))


def _phrase_readings(phrase: str) -> dict[Reading, None]:
    """`took_care_of` as a form of `take_care_of`, `movie_theaters` as one of `movie_theater`."""
    first, _, tail = phrase.partition("_")
    head, _, last = phrase.rpartition("_")
    verbs = {(f"{lemma}_{tail}", form): None for lemma, form in readings(first)}
    return verbs | {(f"{head}_{lemma}", form): None for lemma, form in readings(last) if form == S}


def _without_s(word: str) -> list[str]:
    if not word.endswith("s") or word.endswith("ss") or len(word) <= _SHORTEST:
        return []
    if word.endswith("ies") and len(word) > len("ties"):
        return [word[:-3] + "y", word[:-1]]
    if word.endswith(("ses", "xes", "zes", "ches", "shes", "oes")):
        return [word[:-2], word[:-1]]
    return [word[:-1]]


def _without(word: str, ending: str) -> list[str]:
    stem = word.removesuffix(ending)
    if stem == word or len(stem) < _SHORTEST - 1 or not any(char in _VOWELS + "y" for char in stem):
        return []
    found = [stem, stem + "e"]
    if len(stem) > _SHORTEST and stem[-1] == stem[-2]:
        found.append(stem[:-1])
    if ending == "ed" and stem.endswith("i"):
        found.append(stem[:-1] + "y")
    if ending == "ing" and stem.endswith("y"):
        found.append(stem[:-1] + "ie")
    return found


@functools.cache
def _irregular() -> Mapping[str, tuple[Reading, ...]]:
    found: dict[str, list[Reading]] = {}
    for line in lines("irregular_verbs.txt"):
        base, *pasts = line.split()
        for past in pasts:
            found.setdefault(past, []).append((base, PAST))
    for line in lines("irregular_nouns.txt"):
        one, many = line.split()
        found.setdefault(many, []).append((one, S))
    found["has"], found["does"], found["goes"] = [("have", S)], [("do", S)], [("go", S)]
    return {word: tuple(rows) for word, rows in found.items()}


@functools.cache
def _uninflected() -> frozenset[str]:
    return frozenset(word for line in lines("uninflected.txt") for word in line.split())
