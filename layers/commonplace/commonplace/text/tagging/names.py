"""Find the standard name of a tag, whatever its spelling, number (singular or plural) or alias."""

import functools
import re

from commonplace.text.foundation.characters import bare
from commonplace.text.tagging.tables import alias_groups, listed, singulars, topic_names

_NO_PLURAL = ("ss", "us", "is", "ics", "'s")
_DOUBLED = re.compile(r"([bdfgklmnprt])\1$")
_ROMANCE = ("fr", "es", "pt", "it")

_SEPARATORS = re.compile(r"[\s_\-‐‑]+")
_BRITISH = (
    (re.compile(r"(?<=[a-z]{3})our(?=s?$|ite|ing|ed|ful|hood|al$)"), "or"),
    (re.compile(r"(?<=[a-z]{2})is(?=e[ds]?$|ing$|ation|er$)"), "iz"),
    (re.compile(r"(?<=[a-z]{2})yse(?=[ds]?$)"), "yze"),
    (re.compile(r"(?<=[a-z]{2})tre$"), "ter"),
    (re.compile(r"(?<!prol)ogue$"), "og"),
    # This applies only after an unstressed syllable, as in "travelling". "Filling" isn't a form of "file".
    (re.compile(r"(?:(?<=[aeiou][^aeiou][aeiou])|(?<=[aeiou][^aeiou]{2}[aeiou])|(?<=ue)|(?<=ia))ll(?=ing$|ed$|er$)"), "l"),
    (re.compile(r"(?<=[a-z]{2})ence$"), "ense"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"programme$"), "program"),
    (re.compile(r"ae(?=[dmst])"), "e"),
)


@functools.lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return the singular of a lower-case English noun. Other words are returned unchanged."""
    known = singulars().get(word)
    if known is not None:
        return known
    if len(word) <= 3 or not word.endswith("s") or word.endswith(_NO_PLURAL):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes", "oes")):
        return word[:-2]
    return word[:-1]


def singular_in(word: str, language: str) -> str:
    """Return the singular of a noun according to simple rules of the language (`en`, `es`, ...)."""
    if language == "en":
        return singular(word)
    if language not in _ROMANCE or language == "it" or len(word) < 5 or not word.endswith("s"):
        return word
    if language == "es" and word.endswith(("res", "nes", "les", "des")) and word not in singulars():
        return word[:-2] if word[-4] in "aeiou" else word[:-1]
    return word if word.endswith(("ss", "us", "is", "as")) and language == "fr" else word[:-1]


@functools.lru_cache(maxsize=4096)
def forms(word: str, language: str) -> tuple[str, ...]:
    """Return the word and its possible base forms, likeliest first."""
    if language == "en":
        return tuple(dict.fromkeys((word, singular(word), *_list_verb_bases(word))))
    endings = ("en", "er", "es", "em", "in", "e", "n", "s") if language == "de" else ("es", "s", "e", "a", "o", "x")
    stems = (word[: -len(ending)] for ending in endings if word.endswith(ending) and len(word) - len(ending) >= 4)
    return tuple(dict.fromkeys((word, *stems)))


def _list_verb_bases(word: str) -> list[str]:
    for ending in ("ing", "ed"):
        stem = word[: -len(ending)]
        if word.endswith(ending) and len(stem) >= 2:
            return [stem, stem + "e", _DOUBLED.sub(r"\1", stem)] + ([stem[:-1] + "y"] if stem.endswith("i") else [])
    return []


@functools.lru_cache(maxsize=4096)
def same_thing(tag: str) -> str:
    """Return a key shared by all spellings, plurals and aliases of a tag. The key isn't meant for display."""
    spelled = american(canonical(tag))
    return spelled.replace("-", "") if len(spelled) > 3 else spelled


@functools.lru_cache(maxsize=4096)
def canonical(tag: str) -> str:
    """Return the preferred name of a tag from the alias table, or else the tag in the singular."""
    plain = _SEPARATORS.sub("-", bare(tag).strip())
    head, mark, last = plain.rpartition("-")
    in_singular = head + mark + singular(last)
    groups = alias_groups()
    return next((groups[name][0] for name in (plain, in_singular) if name in groups), in_singular)


@functools.lru_cache(maxsize=4096)
def standard(tag: str) -> str:
    """Return an abbreviation's full standard form (`javascript` for `js`). Other tags are returned unchanged.

    Ambiguous abbreviations (`apt`) and names of topics (`tv`) are also returned unchanged.
    """
    plain = _SEPARATORS.sub("-", bare(tag).strip())
    full = alias_groups().get(plain, (tag,))[0]
    stays = plain in topic_names() or plain in listed("abbreviations.unsure")
    short = plain in listed("abbreviations.sure") or _is_abbreviation(plain, full)
    return full if short and not stays else tag


def _is_abbreviation(short: str, full: str) -> bool:
    """Return whether `full` starts with `short`'s first letter and has its letters in order. Digits (`k8s`) are ignored."""
    if len(short) >= len(full) or not short.startswith(full[0]):
        return False
    letters = iter(full)
    return all(char in letters for char in short if char.isalpha())


def american(word: str) -> str:
    """Return a lower-case word in American spelling."""
    for pattern, replacement in _BRITISH:
        word = pattern.sub(replacement, word)
    return word
