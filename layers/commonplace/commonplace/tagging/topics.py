"""The topics of a text: which triggers of the lexicon stand in it."""

import functools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from commonplace.tagging.folding import fold
from commonplace.tagging.inflection import forms
from commonplace.tagging.tables import false_friends, stop_words, topic_lines
from commonplace.tagging.tokens import Reading, Word, cut

_UNSPACED = ("ja", "zh")


class Hit(NamedTuple):
    """A topic found in words from `start` up to `end`."""

    topic: str
    start: int
    end: int


@dataclass
class Lexicon:
    """Triggers by their first word: the words that follow it and the topic. `named`: only triggers when capital."""

    phrases: dict[str, list[tuple[tuple[str, ...], str]]] = field(default_factory=dict)
    runs: dict[str, list[str]] = field(default_factory=dict)
    named: set[str] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    parents: dict[str, str] = field(default_factory=dict)
    longest_run: int = 1

    def add(self, trigger: str, topic: str) -> None:
        """Takes one trigger in."""
        keys, runs = cut(trigger)
        for run in runs:
            self.runs.setdefault(run, []).append(topic)
            self.longest_run = max(self.longest_run, len(run))
        if not keys:
            return
        self.phrases.setdefault(keys[0], []).append((keys[1:], topic))
        if trigger[0].isupper():
            self.names.update(keys)
            if len(keys) == 1 and keys[0] in stop_words("en"):
                self.named.add(keys[0])


@functools.cache
def lexicon(language: str) -> Lexicon:
    """The compiled lexicon of a language, or of `when`; an empty one where none is shipped."""
    made = Lexicon()
    if language in ("it", "pt", "nl", "ru"):
        return made
    for topic, parent, triggers in topic_lines(language):
        if parent:
            made.parents[topic] = parent
        for trigger in triggers:
            made.add(trigger, topic)
    for choices in made.phrases.values():
        choices.sort(key=lambda choice: -len(choice[0]))
    return made


@functools.cache
def topic_names() -> frozenset[str]:
    """Every topic of the lexicon."""
    return frozenset(topic for topic, _, _ in topic_lines("en"))


def topics_of(reading: Reading) -> list[Hit]:
    """Where which topics are named, in the order of the text."""
    language = reading.language
    own = [] if language == "en" else hits(reading.words, lexicon(language), language)
    taken = {at for hit in own for at in range(hit.start, hit.end)}
    foreign = false_friends(language) if language not in (*_UNSPACED, "en") else frozenset()
    stopped = stop_words(language) if language != "en" else frozenset()
    for hit in hits(reading.words, lexicon("en"), "en"):
        word = reading.words[hit.start].key
        alone = hit.end - hit.start == 1
        if hit.start not in taken and not (alone and (word in foreign or word in stopped)):
            own.append(hit)
    own.sort(key=lambda hit: hit.start)
    return own + run_hits(reading.runs, lexicon("ja" if language not in _UNSPACED else language))


def hits(words: Sequence[Word], table: Lexicon, language: str) -> list[Hit]:
    """The topics that a lexicon finds in spaced words; a longer trigger hides the shorter ones inside it."""
    found: list[Hit] = []
    at = 0
    while at < len(words):
        matched = _at(words, at, table, language)
        found += matched
        at = max((hit.end for hit in matched), default=at + 1)
    return found


def _at(words: Sequence[Word], at: int, table: Lexicon, language: str) -> list[Hit]:
    found: list[Hit] = []
    length = 0
    for form in forms(words[at].key, language):
        for rest, topic in table.phrases.get(form, ()):
            if len(rest) + 1 < length or not _follows(words, at, rest, language):
                continue
            if not rest and form in table.named and not words[at].text[0].isupper():
                continue
            if len(rest) + 1 > length:
                found, length = [], len(rest) + 1
            found.append(Hit(topic, at, at + length))
        if found and length > 1:
            break
    return found


def _follows(words: Sequence[Word], at: int, rest: tuple[str, ...], language: str) -> bool:
    if at + len(rest) >= len(words):
        return False
    steps = enumerate(rest, start=at + 1)
    return all(not words[step].parted and key in forms(words[step].key, language) for step, key in steps)


def run_hits(runs: Iterable[str], table: Lexicon) -> list[Hit]:
    """The topics in runs of unspaced script, the longest trigger first; one lone character must stand alone."""
    found: list[Hit] = []
    for run in map(fold, runs):
        at = 0
        kana = any("\u3041" <= char <= "\u30ff" for char in run)
        while at < len(run):
            size = trigger_length(run, at, table.runs, table.longest_run, kana and not _alone(run, at))
            found += [Hit(topic, at, at + size) for topic in table.runs.get(run[at : at + size], ())]
            at += max(size, 1)
    return found


def trigger_length(run: str, at: int, table: Mapping[str, object], longest: int, in_a_word: bool = False) -> int:
    """How many characters the longest entry of `table` at this place has, over one `in_a_word`; 0 for none."""
    for size in range(min(longest, len(run) - at), int(in_a_word), -1):
        if run[at : at + size] in table:
            return size
    return 0


def _alone(run: str, at: int) -> bool:
    """Whether no Chinese character stands beside it: in Japanese it is then a word of its own."""
    around = run[max(at - 1, 0) : at] + run[at + 1 : at + 2]
    return not any("\u3400" <= char <= "\u9fff" for char in around)
