"""The word tables of a language, read on first use: what it leaves out, pairs, negates, counts, spells in two ways.

And English inflection, as far as needed to tell `cuts` from `cut`, a cat from cats, and now from then."""

import functools
import re
import tomllib
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from itertools import combinations
from typing import Any

from commonplace.text.foundation.calendar import calendar_in_times
from commonplace.text.foundation.characters import UNSPACED
from commonplace.text.foundation.numbers import cardinals

_NOT_BRITISH = re.compile(
    r"(?:prom|comprom|merchand|telev|franch|advert|parad|pract|exerc|adv|rev|dev|superv|surpr|compr|disgu|desp|expert|enterpr|prec|ra|pra|no|po|cru|bru|r|w)is"
)
"""Before `e` and its like these have an `s` in America too: "promise"."""
_BRITISH = (
    (re.compile(r"is(?=(?:e|es|ed|ing|er|ers|ation|ations)$)"), "iz"),
    (re.compile(r"our(?=(?:s|ed|ing|ite|ites|able|al|er|ers|hood|ful)?$)"), "or"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=(?:defen|offen|licen|reten))ce(?=s?$)"), "se"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=[a-z]{3}[aeiou])ll(?=(?:ed|ing|er|ers)$)"), "l"),
    (re.compile(r"amme(?=s?$)"), "am"),
)
_SHORTEST_SPELLED = 6

_WORD = re.compile(r"[^\W\d_]+(?:'(?=\w))?")
_UNSEGMENTED = re.compile(f"[{UNSPACED}]")
_LEAST_SHARE = 0.15
_LEAST_COUNT = 2  # "one" is too often no number
UNSEGMENTED, UNKNOWN = "unsegmented", "unknown"
Words = frozenset[str]
Groups = Mapping[str, frozenset[int]]
"""Word or phrase (its words joined by `_`) to the numbers of the synonym groups it stands in."""
Phrases = Mapping[str, tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]]
"""First word to (phrase, what stands for it), the longest phrase first; `*` in a phrase is any one word."""
TABLED = {"english": "en", "german": "de", "french": "fr", "spanish": "es"}
_LISTS = """articles copulas harmless guards markers phrase_starts pairing choosing contrasting definite time_words likes_to
lasting bare_verbs case_matters places kin pets times describing adjuncts compounding place_markers counting having
preferring many before_is behind_participle free_openers""".split()


@functools.lru_cache(maxsize=4096)
def american(word: str) -> str:
    """An English word as it is spelled in America, as far as its ending tells."""
    if len(word) < _SHORTEST_SPELLED:
        return word
    kept = _NOT_BRITISH.match(word)
    for british, spelled in _BRITISH[1:] if kept else _BRITISH:
        word = british.sub(spelled, word)
    return word


@dataclass(frozen=True, slots=True)
class Language:
    """One language; a table it does not have is empty, which only ever makes the comparison stricter."""

    name: str
    words: Mapping[str, Words]
    """The plain lists of its file, by their name there."""
    openers: Phrases
    contractions: Mapping[str, str]
    numbers: Mapping[str, str]
    phrases: Phrases
    same_markers: frozenset[Words]
    synonyms: Groups = field(repr=False)
    synonym_phrases: Phrases = field(repr=False)


@functools.cache
def language(name: str) -> Language:
    """The tables of `english`, `german`, `french` or `spanish`; under any other name all are empty."""
    table = _toml(name) if name in TABLED else {}
    english = name == "english"
    rows = lines("english_synonyms.txt") if english else table.get("synonyms", [])
    same = [[" ".join(map(american, member.split())) if english else member for member in _members(row)] for row in rows]
    return Language(
        name=name,
        words={key: frozenset(table.get(key, "").split()) for key in _LISTS} | {"months": _months(name)},
        openers=_phrases((opener, "") for opener in table.get("openers", [])),
        contractions=table.get("contractions", {}),
        numbers=_numbers(table["numbers"], TABLED[name]) if name in TABLED else {},
        phrases=_phrases(table.get("phrases", {}).items()),
        same_markers=_pairs(table.get("same_markers", [])),
        synonyms=_groups(same),
        synonym_phrases=_phrases((phrase, _joined(phrase)) for group in same for phrase in group if " " in phrase),
    )


def _numbers(row: Mapping[str, Any], code: str) -> Mapping[str, str]:
    """The number words of a language up to a number, but for some, and what else is a figure."""
    left_out = row["without"].split()
    values = {word: value for word, value in cardinals(code).items() if word not in left_out}
    counted = {word: str(value) for word, value in values.items() if _LEAST_COUNT <= value <= row["to"]}
    also: Mapping[str, str] = row.get("also", {})
    return {**counted, **also}


def _months(name: str) -> Words:
    """Only English dates are brought into one order."""
    names = calendar_in_times("en")
    return frozenset([*names.months, *names.short_months] if name == "english" else [])


@functools.cache
def lines(name: str) -> tuple[str, ...]:
    """The lines of a text table, without comments."""
    text = (files(__package__) / "tables" / name).read_text(encoding="utf-8")
    return tuple(line for line in text.splitlines() if line and not line.startswith("#"))


def _toml(name: str) -> dict[str, Any]:
    return tomllib.loads((files(__package__) / "tables" / f"{name}.toml").read_text(encoding="utf-8"))


def _members(line: str) -> list[str]:
    return [member.strip() for member in line.split(",")]


def _joined(phrase: str) -> str:
    return phrase.replace(" ", "_")


def _groups(groups: Iterable[Iterable[str]]) -> Groups:
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for member in group:
            found.setdefault(_joined(member), set()).add(number)
    return {member: frozenset(numbers) for member, numbers in found.items()}


def _phrases(items: Iterable[tuple[str, str]]) -> Phrases:
    found: dict[str, dict[tuple[str, ...], tuple[str, ...]]] = {}
    for phrase, instead in items:
        words = tuple(phrase.split())
        found.setdefault(words[0], {})[words] = tuple(instead.split())
    return {first: tuple(sorted(rows.items(), key=lambda row: -len(row[0]))) for first, rows in found.items()}


def _pairs(groups: Iterable[str]) -> frozenset[Words]:
    return frozenset(frozenset(pair) for group in groups for pair in combinations(_members(group), 2))


def language_of(*texts: str) -> str:
    """The one language whose function words some texts have most of.

    `english` for ASCII that has none of any; `unsegmented` for Chinese, Japanese, Thai and their like; else `unknown`.
    """
    if any(_UNSEGMENTED.search(text) for text in texts):
        return UNSEGMENTED
    counts = sum((_counted(text) for text in texts), Counter())
    if not counts:
        return "english" if all(text.isascii() for text in texts) else UNKNOWN
    most = max(counts.values())
    if all(text.isascii() for text in texts) and most < _LEAST_SHARE * sum(len(text.split()) for text in texts):
        return "english"  # "Mitt", "de Lucia": a name that is a function word elsewhere
    leaders = [name for name, count in counts.items() if count == most]
    return leaders[0] if len(leaders) == 1 else "english" if "english" in leaders else UNKNOWN


@functools.lru_cache(maxsize=512)
def _counted(text: str) -> Counter[str]:
    return Counter(name for word in _WORD.findall(text.lower()) for name in _speakers().get(word, ()))


@functools.cache
def _speakers() -> Mapping[str, tuple[str, ...]]:
    """A function word to the languages that have it."""
    found: dict[str, tuple[str, ...]] = {}
    for name, own in _marks().items():
        found.update({word: (*found.get(word, ()), name) for word in own})
    return found


@functools.cache
def _marks() -> Mapping[str, Words]:
    """The function words of every language known by name, for telling them apart."""
    tabled = {name: _toml(name)["marks"] for name in TABLED}
    return {name: frozenset(words.split()) for name, words in (tabled | _toml("other_languages")).items()}


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
