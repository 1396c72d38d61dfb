"""A text as plain words, and the words in it that tell what it is about: of liking, of habit, of kin, of a plan ..."""

import functools
import re
import tomllib
import unicodedata
from importlib.resources import files
from typing import NamedTuple

CJK = re.compile(r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff]")
_STOPS = frozenset("!.?;。！？…")
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*|[?!.;:,…¿¡。！？、，]|[\U0001F300-\U0001FAFF\u2600-\u27BF]")
_DIGIT = re.compile(r"\d")
_QUOTES = str.maketrans("’‘`´“”", "''''\"\"")
_LAST_FOLDED = "\u058f"  # Latin, Greek, Cyrillic, Armenian: beyond them a mark is part of the letter


def normal(text: str) -> str:
    """The text in the one spelling that the cue table and the features are written in."""
    plain = _folded(unicodedata.normalize("NFKC", text).translate(_QUOTES).lower())
    english = _english()
    if english.contracted.search(plain):
        for pattern, written_out in english.contractions:
            plain = pattern.sub(written_out, plain)
    return _DIGIT.sub("0", plain)


class _English(NamedTuple):
    contracted: re.Pattern[str]
    contractions: tuple[tuple[re.Pattern[str], str], ...]
    function: frozenset[str]


@functools.cache
def _english() -> _English:
    table = tomllib.loads((files(__package__) / "words.toml").read_text(encoding="utf-8"))
    contractions = tuple((re.compile(pattern), written_out) for pattern, written_out in table["contractions"])
    return _English(re.compile(table["contracted"]), contractions, frozenset(table["function"].split()))


def words(plain: str) -> list[str]:
    """The words and the marks of a text that `normal` has been over."""
    return _WORD.findall(plain)


def sentences(plain: str) -> list[list[str]]:
    """The words by sentence, each with its closing mark; one empty sentence where there is no word at all."""
    found: list[list[str]] = [[]]
    for word in words(plain):
        found[-1].append(word)
        if word in _STOPS:
            found.append([])
    return [sentence for sentence in found if any(word not in _STOPS for word in sentence)] or [[]]


def _folded(text: str) -> str:
    if text.isascii():
        return text
    return "".join(char if char > _LAST_FOLDED else _bare(char) for char in text)


def _bare(char: str) -> str:
    return "".join(part for part in unicodedata.normalize("NFKD", char) if unicodedata.category(part) != "Mn")


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
    """The cues of one sentence, which `sentences` has made."""
    table = lexicon()
    classes: list[list[str]] = []
    skeleton: list[str] = []
    covered = 0
    for place, word in enumerate(sentence):
        found, span = _at(table, sentence, place)
        classes.append(found)
        if place < covered:
            continue
        if found and (span > 1 or word not in _english().function):
            skeleton.append(f"<{found[0]}>")
            covered = place + span
        else:
            skeleton.append(word if word in _english().function or not word[0].isalnum() else _shape(word))
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
