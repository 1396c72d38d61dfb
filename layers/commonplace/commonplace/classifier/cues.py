"""Finds in a sentence the words that tell what it is about: of liking, of habit, of kin, of a plan ..."""

import functools
import tomllib
from importlib.resources import files
from typing import NamedTuple

from commonplace.classifier.words import CJK, normal, words

_FUNCTION_WORDS = frozenset(
    "a an the this that these those i am is are was were be been have has had do does did not will would can could should"
    " must may might shall to of in on at for with from by about as into than and or but if so because then there here it"
    " its he she they his her their you your my me we our us s who what which how when where why all any some no more most"
    " just only very too also up out off over down own same other one two three four five".split()
)


class Lexicon(NamedTuple):
    """The cue table, ready for look-up: phrase -> classes, first word -> longest phrase, stem -> classes."""

    phrases: dict[str, list[str]]
    longest: dict[str, int]
    stems: dict[str, list[str]]
    stem_lengths: list[int]
    unspaced: list[tuple[str, str]]


class Tagged(NamedTuple):
    """A sentence with its cues: the classes at each word, and the skeleton (classes, function words, word shapes)."""

    words: list[str]
    classes: list[list[str]]
    skeleton: list[str]


def tag(sentence: list[str]) -> Tagged:
    """The cues of one sentence, which `words.sentences` has made."""
    table = lexicon()
    classes: list[list[str]] = []
    skeleton: list[str] = []
    covered = 0
    for place, word in enumerate(sentence):
        found, span = _at(table, sentence, place)
        classes.append(found)
        if place < covered:
            continue
        if found and (span > 1 or word not in _FUNCTION_WORDS):
            skeleton.append(f"<{found[0]}>")
            covered = place + span
        else:
            skeleton.append(word if word in _FUNCTION_WORDS or not word[0].isalnum() else _shape(word))
    return Tagged(sentence, classes, skeleton)


def unspaced_classes(text: str) -> list[str]:
    """The classes of the Chinese, Japanese and Korean cues in a text, in the order of the table."""
    if not CJK.search(text):
        return []
    padded = text + " "
    return list(dict.fromkeys(name for phrase, name in lexicon().unspaced if phrase in padded))


@functools.cache
def lexicon() -> Lexicon:
    """The cue table of the package, read once."""
    table = tomllib.loads((files(__package__) / "cues.toml").read_text(encoding="utf-8"))
    made = Lexicon({}, {}, {}, [], [])
    for name, listed in table.items():
        for phrase in listed.replace("\n", " ").split(","):
            _enter(made, phrase, name)
    made.stem_lengths.extend(sorted({len(stem) for stem in made.stems}))
    return made


def _enter(table: Lexicon, phrase: str, name: str) -> None:
    if CJK.search(phrase):
        # A trailing blank is part of a Korean cue: the particle must end the word.
        table.unspaced.append((phrase.lstrip(), name))
        return
    parts = words(normal(phrase.strip()))
    if not parts:
        return
    if phrase.rstrip().endswith("*") and len(parts) == 1:
        table.stems.setdefault(parts[0], []).append(name)
        return
    listed = table.phrases.setdefault(" ".join(parts), [])
    if name not in listed:
        listed.append(name)
    table.longest[parts[0]] = max(table.longest.get(parts[0], 0), len(parts))


def _at(table: Lexicon, sentence: list[str], place: int) -> tuple[list[str], int]:
    """The classes of the phrases that begin at a word, those of the longest phrase first, and its length in words."""
    word = sentence[place]
    found: list[str] = []
    span = 0
    for size in range(min(table.longest.get(word, 0), len(sentence) - place), 0, -1):
        listed = table.phrases.get(" ".join(sentence[place : place + size]))
        if listed:
            found += [name for name in listed if name not in found]
            span = span or size
    if not found:
        for length in table.stem_lengths:
            found += table.stems.get(word[:length], ()) if length <= len(word) else ()
        span = 1 if found else 0
    return found, span


def _shape(word: str) -> str:
    if word[0] == "0":
        return word[:4] if word.isdigit() else "0x"
    for ending, least in (("ing", 5), ("ed", 4), ("ly", 5), ("s", 4)):
        if len(word) >= least and word.endswith(ending):
            return "-" + ending
    return "w"
