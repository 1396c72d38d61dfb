"""Load the packaged word tables. Each table is read on first use."""

import functools
import re
from collections.abc import Iterator, Mapping
from importlib.resources import files

from commonplace.text.foundation.characters import bare
from commonplace.text.foundation.expressions import read_table, table_of

_TECHNICAL_TOPICS = "en_technology"
_ENGLISH_TOPICS = ("en_life", "en_leisure", "en_work", _TECHNICAL_TOPICS)
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru")
_VOWELS = "aeiou"


@functools.cache
def singulars() -> Mapping[str, str]:
    """Map the irregular plurals of English nouns to their singulars."""
    return {line.split()[0]: line.split()[-1] for line in _read_lines("singulars.txt")}


@functools.cache
def stop_words(language: str) -> frozenset[str]:
    """Return the words in a language that are never tags and that separate one concept from the next."""
    tables = table_of(__package__, "stop_words.toml")[language]
    words = {word for name in ("function", "forms", "plain") for word in _split_unaccented_words(tables.get(name, ""))}
    for verb in _split_unaccented_words(tables.get("verbs", "")):
        words.update(_build_verb_forms(verb))
    return frozenset(words)


@functools.cache
def function_words(language: str) -> frozenset[str]:
    """Return the grammar words that identify a language."""
    return frozenset(_split_unaccented_words(table_of(__package__, "stop_words.toml")[language]["function"]))


@functools.cache
def describing_words() -> frozenset[str]:
    """Return English adjectives and vague nouns, which aren't tags but may be part of one (`dark` in `dark mode`)."""
    return frozenset(_split_unaccented_words(table_of(__package__, "stop_words.toml")["en"]["plain"]))


@functools.cache
def capitals() -> frozenset[str]:
    """Return English words that may be capitalized inside a sentence without being names, except for months and weekdays."""
    return frozenset(table_of(__package__, "stop_words.toml")["en"]["capitals"].split())


@functools.cache
def false_friends(language: str) -> frozenset[str]:
    """Return the words in a language that look like an English word but mean something else."""
    return frozenset(_split_unaccented_words(table_of(__package__, "stop_words.toml")[language].get("false_friends", "")))


def topic_lines(language: str) -> Iterator[tuple[str, str | None, list[str]]]:
    """Yield each topic in a lexicon, with its parent and triggers. `language` may also be `when` or `hints`."""
    for name in _ENGLISH_TOPICS if language == "en" else (language,):
        yield from _parse_topics(name)


def has_topics(language: str) -> bool:
    """Return whether there is a lexicon of topics for the language with this code."""
    return language == "en" or files(__package__).joinpath(f"topics/{language}.txt").is_file()


@functools.cache
def technical_topics() -> frozenset[str]:
    """Return the topics about computers and software, which count as one field."""
    return frozenset(topic for topic, _, _ in _parse_topics(_TECHNICAL_TOPICS))


def _parse_topics(name: str) -> Iterator[tuple[str, str | None, list[str]]]:
    for line in _read_lines(f"topics/{name}.txt"):
        head, _, triggers = line.partition(":")
        topic, _, parent = head.partition(" < ")
        yield topic.strip(), parent.strip() or None, [trigger.strip() for trigger in triggers.split(",")]


@functools.cache
def alias_groups() -> Mapping[str, tuple[str, ...]]:
    """Map each lower-case name to all names with the same meaning. The preferred name is first."""
    groups: dict[str, tuple[str, ...]] = {}
    for line in _read_lines("aliases.txt"):
        name, _, synonyms = line.partition(": ")
        members = (name, *(other.strip() for other in synonyms.split(",")))
        for member in members:
            groups.setdefault(member, members)
    return groups


@functools.cache
def kinds() -> Mapping[str, frozenset[int]]:
    """Map each name to the numbers that stand for the kinds of things to which it belongs."""
    groups: dict[str, set[int]] = {}
    for number, line in enumerate(_read_lines("siblings.txt")):
        for member in line.split():
            groups.setdefault(member, set()).add(number)
    return {member: frozenset(numbers) for member, numbers in groups.items()}


@functools.cache
def listed(name: str) -> tuple[str, ...]:
    """Return the words in the small table `name` ("section.key"), in order. Raises KeyError if it is unknown."""
    section, key = name.split(".")
    return tuple(table_of(__package__, "words.toml")[section][key].split())


@functools.cache
def figure_patterns() -> Mapping[str, re.Pattern[str]]:
    """Map topics such as age, height and weight to patterns for the figures that indicate them."""
    tables = read_table(__package__, "figures.toml")
    patterns = {topic: "|".join(rows) for topic, rows in tables["topics"].items()}
    for name, part in tables["parts"].items():
        patterns = {topic: pattern.replace(f"<{name}>", part) for topic, pattern in patterns.items()}
    return {topic: re.compile(pattern, re.IGNORECASE) for topic, pattern in patterns.items()}


@functools.cache
def scales() -> Mapping[str, tuple[float, float]]:
    """Map each embedding model to its typical cosines for two unrelated tags and for two tags with the same meaning."""
    return {model: (row["unrelated"], row["same"]) for model, row in read_table(__package__, "scales.toml").items()}


def _read_lines(name: str) -> list[str]:
    """Return the lines of a table without comments and empty lines. An indented line continues the previous line."""
    joined = files(__package__).joinpath(name).read_text(encoding="utf-8").replace("\n  ", " ")
    return [line for line in joined.splitlines() if line and not line.startswith("#")]


def _split_unaccented_words(text: str) -> list[str]:
    return bare(text.replace("'", "").replace("’", "")).split()


def _build_verb_forms(base: str) -> list[str]:
    stem = base[:-1] if base.endswith("e") else base
    forms = [base, base + ("es" if base.endswith(("s", "sh", "ch", "x", "z", "o")) else "s"), stem + "ing", stem + "ed"]
    if base.endswith("y") and base[-2] not in _VOWELS:
        forms += [base[:-1] + "ies", base[:-1] + "ied"]
    if base[-1] in "bdgklmnprt" and base[-2] in _VOWELS:
        forms += [base + base[-1] + "ing", base + base[-1] + "ed"]
    return forms


@functools.cache
def topic_names() -> frozenset[str]:
    """Return the names of all topics in the English lexicon."""
    return frozenset(topic for topic, _, _ in topic_lines("en"))
