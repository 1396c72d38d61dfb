"""Find a text's concepts, which are its runs of content words and, in scripts without spaces, its nouns."""

import functools
import re
from collections.abc import Mapping, Sequence

from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.characters import bare
from commonplace.text.tagging.tables import capitals, false_friends, function_words, listed, stop_words, topic_names
from commonplace.text.tagging.tokens import Reading, Word, read, trigger_length
from commonplace.text.tagging.topics import is_activity, lexicon

Phrase = list[Word]

LONGEST_WORD = 40
_SCRIPTS = re.compile(r"[\u30a1-\u30faー]{2,}|[\u3400-\u9fff々]+")
_UNSPACED = ("ja", "zh")
_LONGEST = 4


def phrases_of(reading: Reading) -> list[Phrase]:
    """Return the runs of content words, in order. If a German text capitalizes its nouns, only nouns count."""
    stopped = stopped_of(reading)
    nouns_only = reading.language == "de" and any(word.capital for word in reading.words)
    phrases: list[Phrase] = []
    open_phrase = False
    for at, word in enumerate(reading.words):
        content = is_content(word, stopped) and (not nouns_only or word.text[0].isupper())
        content = content and (reading.language != "en" or is_activity(reading.words, at))
        if content and open_phrase and not word.parted:
            phrases[-1].append(word)
        elif content:
            phrases.append([word])
        open_phrase = content
    return phrases


def is_content(word: Word, stopped: frozenset[str]) -> bool:
    """Return whether a word may be a tag or part of a concept."""
    key = word.key
    if not key[0].isalpha() or len(key) > LONGEST_WORD:
        return False
    if key in stopped:
        # A capitalized stop word inside a sentence may be a name, like `Will` or `Rose`.
        is_name = stopped is stopped_in("en") and word.capital and len(key) > 2 and key not in _list_never_names()
        return key in _list_gerunds() or is_name
    if len(key) < 3:
        return word.text.isupper() and len(key) == 2
    adverb = key.endswith("ly") and len(key) > 4 and key not in listed("nouns.ly")
    participle = key.endswith("ed") and len(key) > 5 and not key.endswith("eed")
    adjective = key.endswith(("able", "ible")) and len(key) > 6 and key not in listed("nouns.able")
    return not (adverb or participle or adjective or key.endswith(("요", "니다")))


def stopped_of(reading: Reading) -> frozenset[str]:
    """Return the stop words for a text, including grammar words from other languages that occur in it."""
    stopped = stopped_in(reading.language)
    return stopped.union(*reading.mixed.values()) if reading.mixed else stopped


@functools.cache
def stopped_in(language: str) -> frozenset[str]:
    """Return the stop words for a text in this language. English grammar words are always included."""
    if language == "en":
        return stop_words("en")
    own = stop_words(language) if language not in _UNSPACED else frozenset()
    return own | (function_words("en") - false_friends(language))


def names_in(phrase: Phrase) -> list[Phrase]:
    """Return the names in a phrase, as runs of capitalized words. A sentence's first word must be known or precede a name."""
    phrases: list[Phrase] = []
    open_name = False
    for at, word in enumerate(phrase):
        following = phrase[at + 1] if at + 1 < len(phrase) else None
        starting = word.text[0].isupper() and following is not None and following.capital
        named = starting or word.capital or is_proper(word)
        if named and open_name:
            phrases[-1].append(word)
        elif named:
            phrases.append([word])
        open_name = named
    return phrases


def is_proper(word: Word) -> bool:
    """Return whether a word is a capitalized name in the lexicon."""
    return word.text[0].isupper() and word.key in lexicon("en").names


def unspaced_nouns(runs: Sequence[str], language: str) -> list[str]:
    """Return the katakana words and the runs of Chinese characters, except for grammar words."""
    known: Mapping[str, object] = lexicon(language).runs if language in _UNSPACED else {}
    stopped = dict.fromkeys(stop_words(language)) if language in _UNSPACED else {}
    parts = (part for run in runs for part in _SCRIPTS.findall(bare(run)))
    return [piece for part in parts for piece in _cut_run(part, known, stopped, language)]


def _cut_run(part: str, known: Mapping[str, object], stopped: Mapping[str, object], language: str) -> list[str]:
    """Cut a run of characters into words at stop words and, in Chinese, at known words too."""
    if part in stopped:
        return []
    parts = [""]
    at = 0
    while at < len(part):
        size = trigger_length(part, at, stopped, 5)
        size = size if language == "zh" or size > 1 else 0
        word = trigger_length(part, at, known, 5) if language == "zh" else 0
        if word > 1 and word >= size:
            parts += [part[at : at + word], ""]
        elif size:
            parts.append("")
        else:
            parts[-1] += part[at]
        at += max(word if word > 1 and word >= size else size, 1)
    return [piece for piece in parts if 2 <= len(piece) <= (4 if language == "zh" else LONGEST_WORD)]


@functools.cache
def _list_never_names() -> frozenset[str]:
    english = frozenset([*calendars()["en"].weekdays, *calendars()["en"].months, *capitals()])
    return english | function_words("en") | frozenset(f"{day}s" for day in english)


@functools.cache
def _list_gerunds() -> frozenset[str]:
    """Return the topics that end in "-ing", which are content words although verbs have the same form."""
    return frozenset(name for name in topic_names() if name.endswith("ing")) - {"moving", "housing"}


def concepts_of(text: str, limit: int = 8) -> list[str]:
    """Return up to `limit` concepts with one to four words, names and longer concepts first. Only names keep capitals."""
    reading = read(text)
    concepts: dict[str, tuple[int, str]] = {}
    for phrase in phrases_of(reading):
        for part in _split_phrase(phrase, reading.language):
            concept = _format_phrase(part, reading)
            rank = -2 if len(part) > 1 else -1 if names_in(part) else 0
            concepts.setdefault(bare(concept), (rank, concept))
    for noun in unspaced_nouns(reading.runs, reading.language):
        concepts.setdefault(bare(noun), (-1, noun))
    return [concept for _, concept in sorted(concepts.values(), key=lambda ranked: ranked[0])[:limit]]


def _split_phrase(phrase: Phrase, language: str) -> list[Phrase]:
    """Split off the name that ends a phrase (`wife | Elena`), except in German. Each part keeps its last four words."""
    names = [] if language == "de" else names_in(phrase)
    ends = bool(names) and names[-1][-1] is phrase[-1] and len(names[-1]) < len(phrase)
    split = len(phrase) - len(names[-1]) if ends else len(phrase)
    return [part[-_LONGEST:] for part in (phrase[:split], phrase[split:]) if part]


def _format_phrase(phrase: Phrase, reading: Reading) -> str:
    """Return a phrase as text. Only names keep their capitals, except in German."""
    named = {id(word) for name in names_in(phrase) for word in name}
    parts: list[str] = []
    for at, word in enumerate(phrase):
        is_written = id(word) in named or is_proper(word) or reading.language == "de"
        parts += [("-" if word.hyphened else " ") if at else "", word.text if is_written else word.text.lower()]
    return "".join(parts)
