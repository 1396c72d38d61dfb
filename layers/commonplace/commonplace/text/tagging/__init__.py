"""Find a text's tags, which are its topics, their parent topics, its main nouns and names, and its times."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache

from commonplace.text.foundation.calendar import calendars
from commonplace.text.foundation.characters import bare
from commonplace.text.foundation.english import is_noun
from commonplace.text.tagging.names import forms, same_thing, singular, singular_in, standard
from commonplace.text.tagging.phrases import LONGEST_WORD, is_content, names_in, phrases_of, stopped_of, unspaced_nouns
from commonplace.text.tagging.tables import describing_words, figure_patterns, function_words, listed
from commonplace.text.tagging.tokens import Reading, Word, read
from commonplace.text.tagging.topics import Hit, hits, lexicon, run_hits, topics_of

NOTHING = "misc"
_FEWEST = 3
_MOST_PARENTS = 2
_MOST_TIMES = 2
_MOST_TOPICS = 5


@cache
def _compile_weekdays() -> re.Pattern[str]:
    return re.compile(rf"\b({'|'.join(calendars()['en'].weekdays)})s?\b", re.IGNORECASE)


def tags_of(text: str, limit: int = 8) -> list[str]:
    """Return up to `limit` tags, best first, in lower case without spaces. If there are none, return weekdays or `misc`."""
    reading = read(text)
    time_lexicon = lexicon("when")
    time_hits = hits(reading.words, time_lexicon, "en") + run_hits(reading.runs, time_lexicon)
    times = list(dict.fromkeys(hit.topic for hit in time_hits))[:_MOST_TIMES]
    topic_hits = topics_of(reading)
    by_figures = [topic for topic, pattern in figure_patterns().items() if pattern.search(text)]
    topics = [topic for topic in _rank_topics(topic_hits, by_figures) if topic not in times][:_MOST_TOPICS]
    parents = (parent for topic in topics if (parent := lexicon("en").parents.get(topic)) and parent not in topics)
    chosen = [*topics, *list(dict.fromkeys(parents))[:_MOST_PARENTS]]
    remaining = max(limit - len(chosen) - len(times), 0)
    chosen += _drop_taken(_find_salient_words(reading, topic_hits), [*chosen, *times])[:remaining]
    tags = [*chosen, *times]
    if len(tags) < _FEWEST:
        chosen += _drop_taken(list(further_tags(reading, topics)), tags)[: _FEWEST - len(tags)]
    return [*chosen, *times][:limit] or list(dict.fromkeys(_compile_weekdays().findall(text.lower())))[:limit] or [NOTHING]


def _drop_taken(tags: list[str], taken: list[str]) -> list[str]:
    """Drop duplicates, synonyms of an earlier tag, and tags with which an earlier tag begins (`cook` after `cooking`)."""
    known = {same_thing(tag) for tag in taken}
    new_tags: list[str] = []
    for tag in tags:
        verb = len(tag) > 3 and any(other.startswith(tag) for other in taken)
        if not verb and (same := same_thing(tag)) not in known:
            known.add(same)
            new_tags.append(tag)
    return new_tags


def _rank_topics(hits: list[Hit], by_figures: list[str]) -> list[str]:
    """Rank the topics found through words and figures. Topics with two or more hits come first."""
    count = Counter(hit.topic for hit in hits)
    for topic in by_figures:
        count.setdefault(topic, 1)
    return sorted(count, key=lambda topic: -min(count[topic], 2))


def _find_salient_words(reading: Reading, hits: list[Hit]) -> list[str]:
    """Return the tags from names, topical phrases and main nouns, best first."""
    names: list[str] = []
    heads: list[str] = []
    parts: list[str] = []
    stopped = stopped_of(reading)
    topical, inside = _find_topical_phrases(reading, hits, stopped)
    for phrase in phrases_of(reading):
        named = [] if reading.language == "de" else names_in([word for word in phrase if id(word) not in inside])
        names += ["-".join(word.text for word in name[:3]) for name in named]
        inside.update(id(word) for name in named for word in name)
        compounds = _join_compounds([word for word in phrase if id(word) not in inside], reading.language, stopped)
        heads += compounds[-1:]
        parts += compounds[:-1]
    nouns = unspaced_nouns(reading.runs, reading.language)
    tags = map(standard, map(_casefold_or_empty, (*names, *topical, *nouns, *heads, *parts)))
    return [tag for tag in tags if 1 < len(tag) <= LONGEST_WORD]


def _find_topical_phrases(reading: Reading, hits: list[Hit], stopped: frozenset[str]) -> tuple[list[str], set[int]]:
    """Return the noun phrases that describe a topic (`blood-pressure`, `dark-mode`), and the object ids of their words."""
    tags: list[str] = []
    inside: set[int] = set()
    for hit in hits:
        words = reading.words[hit.start : hit.end]
        fits = all({word.key, singular(word.key)} & describing_words() or is_content(word, stopped) for word in words)
        hyphened = all(word.hyphened for word in words[1:])
        if reading.runs or len(words) < 2 or not (fits or hyphened):
            continue
        last = singular_in(_casefold_or_empty(words[-1].text), reading.language)
        tags.append("-".join((*(word.text for word in words[:-1]), last)))
        inside.update(map(id, words))
    return tags, inside


def _join_compounds(words: list[Word], language: str, stopped: frozenset[str]) -> list[str]:
    """Return the content words as tags. A hyphenated compound is one tag, and the last part is in the singular."""
    joined: list[list[str]] = []
    for word in words:
        if word.hyphened and joined:
            joined[-1].append(word.text)
        elif is_content(word, stopped):
            joined.append([word.text])
    return ["-".join((*parts[:-1], singular_in(_casefold_or_empty(parts[-1]), language))) for parts in joined]


def _casefold_or_empty(tag: str) -> str:
    plain = tag.casefold()
    return plain if bare(plain).strip("-") else ""


def further_tags(reading: Reading, topics: Sequence[str]) -> Iterator[str]:
    """Yield additional tags for a text, best first. `topics` contains the topics that are already tags."""
    yield from (ancestor for topic in topics for ancestor in _iterate_ancestors(topic))
    if reading.language == "en":
        yield from (singular(word.key) for at, word in enumerate(reading.words) if _is_common_noun(reading.words, at))
        yield from (word.key for word in reading.words if word.key in listed("nouns.states"))
    stopped = stopped_of(reading)
    words = (word.key for word in reading.words if word.key not in stopped and word.key.isalpha())
    yield from (key for key in words if 2 < len(key) <= LONGEST_WORD and not key.endswith("ly"))
    if reading.language == "en":
        yield from (deed for word in reading.words if (deed := _find_deed(word.key)))


def _iterate_ancestors(topic: str) -> Iterator[str]:
    while parent := lexicon("en").parents.get(topic):
        yield parent
        topic = parent


@cache
def _load_irregular_past_forms() -> dict[str, str]:
    return {past: base for past, _, base in (pair.partition("=") for pair in listed("nouns.irregular_deeds"))}


def _find_deed(word: str) -> str | None:
    """Return the base form of a verb that describes an activity (`drive` for "drove"), or None."""
    bases = (_load_irregular_past_forms().get(word, word), *forms(word, "en"))
    return next((base for base in bases if base in listed("nouns.deeds")), None)


def _is_common_noun(words: Sequence[Word], at: int) -> bool:
    """Return whether a word is a noun after a determiner ("The lift is broken", "a deal")."""
    word, before = words[at], words[at - 1] if at else None
    if before is None or word.parted or before.key not in listed("nouns.determiners"):
        return False
    plain = word.key in describing_words() or word.key in function_words("en") or word.key in listed("nouns.weak")
    return not plain and is_noun(singular(word.key))
