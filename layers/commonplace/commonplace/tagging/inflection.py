"""English plurals and regular verb forms, and what other languages add to a word, led back to their bases."""

import functools
import re

from commonplace.tagging.tables import singulars

_KEPT_S = ("ss", "us", "is", "ics", "'s")
_DOUBLED = re.compile(r"([bdfgklmnprt])\1$")
_ROMANCE = ("fr", "es", "pt", "it")


@functools.lru_cache(maxsize=16384)
def singular(word: str) -> str:
    """The singular of an English noun in lower case; a word that is none comes back as it is."""
    known = singulars().get(word)
    if known is not None:
        return known
    if len(word) <= 3 or not word.endswith("s") or word.endswith(_KEPT_S):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


def singular_in(word: str, language: str) -> str:
    """The singular of a noun as far as cheap rules tell it for the language (`en`, `es`, ...)."""
    if language == "en":
        return singular(word)
    if language not in _ROMANCE or language == "it" or len(word) < 5 or not word.endswith("s"):
        return word
    if language == "es" and word.endswith(("res", "nes", "les", "des")) and word not in singulars():
        return word[:-2] if word[-4] in "aeiou" else word[:-1]
    return word if word.endswith(("ss", "us", "is", "as")) and language == "fr" else word[:-1]


@functools.lru_cache(maxsize=32768)
def forms(word: str, language: str) -> tuple[str, ...]:
    """The word and the base forms that it may be a form of, likeliest first."""
    if language == "en":
        return tuple(dict.fromkeys((word, singular(word), *_verb_bases(word))))
    return tuple(dict.fromkeys((word, *_shortened(word, language))))


def _verb_bases(word: str) -> list[str]:
    for ending in ("ing", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) >= 2:
            return [stem, stem + "e", _DOUBLED.sub(r"\1", stem)] + ([stem[:-1] + "y"] if stem.endswith("i") else [])
    return []


def _shortened(word: str, language: str) -> list[str]:
    endings = ("en", "er", "es", "em", "in", "e", "n", "s") if language == "de" else ("es", "s", "e", "a", "o", "x")
    return [word[: -len(ending)] for ending in endings if word.endswith(ending) and len(word) - len(ending) >= 4]
