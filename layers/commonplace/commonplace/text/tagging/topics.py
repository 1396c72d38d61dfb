"""Find a text's topics through triggers, which are words in a lexicon that indicate a topic if used in the right sense."""

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from commonplace.domain.loading import loaded_once
from commonplace.text.foundation.characters import bare
from commonplace.text.foundation.english import is_known, table
from commonplace.text.tagging.names import forms, singular
from commonplace.text.tagging.tables import false_friends, listed, stop_words, technical_topics, topic_lines
from commonplace.text.tagging.tokens import Reading, Word, alone, cut, trigger_length


def is_activity(words: Sequence[Word], at: int) -> bool:
    """Return whether a word has the sense of an activity, unlike "running" in "running late"."""
    return words[at].key not in _load_word_set("verbs.alone") or is_topic(words, at, at + 1, words[at].key)


def is_topic(words: Sequence[Word], start: int, end: int, form: str) -> bool:
    """Return whether the words from `start` up to `end` have the sense of their trigger, which begins with `form`.

    A noun used as a verb ("I booked a flight") indicates no topic. Neither does a verb whose subject is a thing ("our standup
    moved to ten") or that has an object ("she runs a bakery").
    """
    single = end - start == 1
    if single and form not in _load_word_set("verbs.topical") and form not in _load_word_set("verbs.alone"):
        return form in (words[start].key, singular(words[start].key)) and not _is_verb_with_object(words, start)
    gerund = words[start].key.endswith("ing")
    if form in _load_word_set("verbs.alone") and (single or not gerund) and not _has_human_subject(words, start):
        return False
    return words[end - 1].key not in _load_word_set("verbs.alone") or not _has_object(words, end - 1)


@functools.cache
def _load_word_set(name: str) -> frozenset[str]:
    return frozenset(listed(name))


def _get_previous_in_phrase(words: Sequence[Word], at: int) -> Word | None:
    return words[at - 1] if at and not (words[at].parted or words[at].first) else None


def _get_next_in_phrase(words: Sequence[Word], at: int) -> Word | None:
    return words[at + 1] if at + 1 < len(words) and not (words[at + 1].parted or words[at + 1].first) else None


def _is_verb_with_object(words: Sequence[Word], at: int) -> bool:
    """Return whether a noun is used as a verb with an object, as in "I want to book a cottage" or "Book a table"."""
    after = _get_next_in_phrase(words, at)
    if after is None or after.key not in _load_word_set("verbs.objects"):
        return False
    before = _get_previous_in_phrase(words, at)
    return before is None or before.key in _load_word_set("verbs.before") or before.key in table("people.singular")


def _has_human_subject(words: Sequence[Word], at: int) -> bool:
    """Return whether a verb's subject may be a person, unlike in "the engine runs" or "our standup moved"."""
    before = _get_previous_in_phrase(words, at)
    while before is not None and (before.key in _load_word_set("verbs.between") or before.key.endswith("ly")):
        at -= 1
        before = _get_previous_in_phrase(words, at)
    if before is None or before.capital or before.key in stop_words("en"):
        return True
    if before.first and before.text[0].isupper() and not is_known(before.key):
        return True
    people = table("people.singular") | table("people.plural") | table("people.company")
    return before.key in people or singular(before.key) in people


def _has_object(words: Sequence[Word], at: int) -> bool:
    """Return whether a verb has an object ("runs a bakery", but not "runs a lot") or is in an idiom ("running late")."""
    after = _get_next_in_phrase(words, at)
    if after is None:
        return False
    if after.key in _load_word_set("verbs.objects"):
        behind = _get_next_in_phrase(words, at + 1)
        return behind is None or behind.key not in _load_word_set("verbs.measures")
    if after.key in _load_word_set("verbs.idioms"):
        return True
    if after.capital:
        # A capitalized object of "read" is a title, so the topic is reading.
        return words[at].key not in _load_word_set("verbs.of_titles")
    before = _get_previous_in_phrase(words, at)
    compound = words[at].key.endswith("ing") and (before is None or before.key not in _load_word_set("verbs.progressive"))
    return not compound and after.key not in stop_words("en") and after.key[0].isalpha()


_UNSPACED = ("ja", "zh")
_WITHOUT_LEXICON = ("it", "pt", "nl", "ru")
_PLACES = frozenset(("travel", "residence", "moving", "nature", "wildlife", "pets"))


class Hit(NamedTuple):
    """A topic indicated by the words from `start` up to `end`. `unsure` is True if the words also have other meanings."""

    topic: str
    start: int
    end: int
    unsure: bool = False
    name: bool = False


class Trigger(NamedTuple):
    """Words that indicate a topic. `following` contains the words after the first. `name` is True for a name."""

    following: tuple[str, ...]
    topic: str
    unsure: bool
    name: bool


@dataclass
class Lexicon:
    """A language's triggers. `phrases` maps first words to triggers. The words in `named` count only if capitalized."""

    phrases: dict[str, list[Trigger]] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    longest_run: int = 1

    def add(self, trigger: str, topic: str) -> None:
        """Add a trigger for a topic. A leading "?" means that the trigger also has other meanings."""
        unsure, trigger = trigger.startswith("?"), trigger.removeprefix("?")
        keys, runs = cut(trigger)
        for run in runs:
            self.runs.setdefault(run, []).append(topic)
            self.longest_run = max(self.longest_run, len(run))
        if not keys:
            return
        self.phrases.setdefault(keys[0], []).append(Trigger(keys[1:], topic, unsure, trigger.split()[-1][0].isupper()))
        if trigger[0].isupper():
            self.names.update(() if unsure else (bare(word) for word in trigger.split() if word[0].isupper()))
            if len(keys) == 1 and keys[0] in stop_words("en"):
                self.named.add(keys[0])


@loaded_once
def lexicon(language: str) -> Lexicon:
    """Return the compiled lexicon for a language, or for `when` or `hints`. It is empty if the language has no lexicon."""
    made = Lexicon()
    if language in _WITHOUT_LEXICON:
        return made
    for topic, parent, triggers in topic_lines(language):
        if parent:
            made.parents[topic] = parent
        for trigger in triggers:
            made.add(trigger, topic)
    for choices in made.phrases.values():
        choices.sort(key=lambda choice: -len(choice.following))
    return made


def topics_of(reading: Reading) -> list[Hit]:
    """Return the topics in a text, with their positions."""
    language = reading.language
    own = [] if language == "en" else hits(reading.words, lexicon(language), language)
    taken = {at for hit in own for at in range(hit.start, hit.end)}
    foreign = false_friends(language) if language not in (*_UNSPACED, "en") else frozenset()
    stopped = stop_words(language) if language != "en" else frozenset()
    for hit in hits(reading.words, lexicon("en"), "en"):
        word = reading.words[hit.start].key
        if hit.start not in taken and not (hit.end - hit.start == 1 and (word in foreign or word in stopped)):
            own.append(hit)
    own += _find_mixed_hits(reading)
    own = _drop_unsure_hits(sorted(own, key=lambda hit: hit.start), reading)
    return own + run_hits(reading.runs, lexicon("ja" if language not in _UNSPACED else language))


def _find_mixed_hits(reading: Reading) -> list[Hit]:
    """Return hits from the other languages in a mixed text. Each hit has at least two words."""
    languages = [language for language in reading.mixed if language not in (reading.language, "en")]
    matched = (hit for language in languages for hit in hits(reading.words, lexicon(language), language))
    return [hit for hit in matched if hit.end - hit.start > 1]


def _drop_unsure_hits(matched: list[Hit], reading: Reading) -> list[Hit]:
    """Drop every unsure hit that is not a name and that no other hit in the same field supports."""
    if not any(hit.unsure for hit in matched):
        return matched
    hints = hits(reading.words, lexicon("hints"), "en")
    own = [hit for hit in matched if not (hit.unsure and _is_overlapped_by_other_field(hit, matched))]
    signs = [*own, *(hit for hit in hints if not (hit.unsure and _is_overlapped_by_other_field(hit, matched)))]
    elsewhere = any(hit.topic in _PLACES or _find_field(hit.topic) in _PLACES for hit in matched)
    # In a text about animals, a hint may be another animal ("the python ate the mouse").
    return [
        hit
        for hit in matched
        if not hit.unsure or _is_name(hit, reading, elsewhere) or _has_support(hit, own if elsewhere and hit.name else signs)
    ]


def _has_support(hit: Hit, signs: Iterable[Hit]) -> bool:
    """Return whether one of `signs` has the same field as the hit and doesn't overlap it."""
    return any(_find_field(sign.topic) == _find_field(hit.topic) and not _has_overlap(sign, hit) for sign in signs)


def _has_overlap(first: Hit, other: Hit) -> bool:
    return first.start < other.end and other.start < first.end


def _is_overlapped_by_other_field(hit: Hit, hits: Iterable[Hit]) -> bool:
    overlapping = (other for other in hits if not other.unsure and _has_overlap(hit, other))
    return any(_find_field(other.topic) != _find_field(hit.topic) for other in overlapping)


def _is_name(hit: Hit, reading: Reading, elsewhere: bool) -> bool:
    """Return whether a hit is a capitalized name. `elsewhere` is True if places or animals make `Python` ambiguous."""
    last = reading.words[hit.end - 1]
    written = last.capital or (bool(reading.runs) and last.text[0].isupper())
    return hit.name and written and not (elsewhere and hit.topic in technical_topics())


@functools.cache
def _find_field(topic: str) -> str:
    """Return the field of a topic, which is its topmost ancestor in the lexicon or "technology"."""
    parents = lexicon("en").parents
    while topic in parents and topic not in technical_topics():
        topic = parents[topic]
    return "technology" if topic in technical_topics() else topic


def hits(words: Sequence[Word], table: Lexicon, language: str) -> list[Hit]:
    """Return the topics that a lexicon finds in a list of words. A longer trigger hides the shorter triggers inside it."""
    hits: list[Hit] = []
    at = 0
    while at < len(words):
        matched = _find_hits_at(words, at, table, language)
        hits += matched
        at = max((hit.end for hit in matched), default=at + 1)
    return hits


def _find_hits_at(words: Sequence[Word], at: int, table: Lexicon, language: str) -> list[Hit]:
    """Return the topics of the longest trigger that begins at `at`, or []."""
    hits: list[Hit] = []
    length = 0
    for form in forms(words[at].key, language):
        for following, topic, unsure, name in table.phrases.get(form, ()):
            if len(following) + 1 < length or not _matches_following(words, at, following, language):
                continue
            if not following and form in table.named and not words[at].text[0].isupper():
                continue
            if language == "en" and not is_topic(words, at, at + len(following) + 1, form):
                continue
            if len(following) + 1 > length:
                hits, length = [], len(following) + 1
            hits.append(Hit(topic, at, at + length, unsure, name))
        if hits and length > 1:
            break
    return hits


def _matches_following(words: Sequence[Word], at: int, following: tuple[str, ...], language: str) -> bool:
    if at + len(following) >= len(words):
        return False
    steps = enumerate(following, start=at + 1)
    return all(not words[step].parted and key in forms(words[step].key, language) for step, key in steps)


def run_hits(runs: Iterable[str], table: Lexicon) -> list[Hit]:
    """Return the topics in runs of a script without spaces. The longest trigger at each position wins."""
    hits: list[Hit] = []
    for run in map(bare, runs):
        at = 0
        kana = any("\u3041" <= char <= "\u30ff" for char in run)
        while at < len(run):
            size = trigger_length(run, at, table.runs, table.longest_run, kana and not alone(run, at))
            hits += [Hit(topic, at, at + size) for topic in table.runs.get(run[at : at + size], ())]
            at += max(size, 1)
    return hits
