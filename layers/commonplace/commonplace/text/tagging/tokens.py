"""Split a text into words with phrase boundaries, and detect its language."""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from typing import NamedTuple

from commonplace.text.foundation.characters import HAN, KANA, bare, has_kana, straight
from commonplace.text.tagging.tables import LANGUAGES, function_words, listed, stop_words

_REDACTED = re.compile(r"\[redacted[^\]]*\]?", re.IGNORECASE)
_UNSPACED = rf"{KANA}\u31f0-\u31ff{HAN}\uf900-\ufaff々〆"
# In scripts without spaces, a sentence may directly follow an address. Every string over 64 characters is left out. This
# limits the length examined at each position.
_PIECE = rf"[^\s{_UNSPACED}]"
_ADDRESS = re.compile(rf"(?:https?://|www\.){_PIECE}+|{_PIECE}{{1,64}}@{_PIECE}{{1,64}}\.{_PIECE}+|{_PIECE}{{65,}}")
_TECHNICAL = r"(?<!\w)(?:[cC]\+\+|[cCfF]#|\.NET\b|\.net\b)"
_WORD = re.compile(rf"{_TECHNICAL}|[^\W_{_UNSPACED}]+(?:['’&][^\W_{_UNSPACED}]+)*")
_RUN = re.compile(rf"[{_UNSPACED}]+")


class Word(NamedTuple):
    """A word in a text. `key` is the form used for comparison. `parted` is True if a phrase ends before the word.

    `first` is True if the word starts a sentence. `hyphened` is True if a hyphen joins the word to the previous word.
    """

    text: str
    key: str
    parted: bool
    first: bool
    hyphened: bool

    @property
    def capital(self) -> bool:
        """Whether the word is capitalized like a name rather than as the start of a sentence."""
        return self.text[0].isupper() and (not self.first or self.text[1:] != self.text[1:].lower())


@dataclass(frozen=True)
class Reading:
    """A parsed text. `runs` contains the parts written without spaces between words. `language` is `en` by default.

    `mixed` maps each other language in the text to those of its grammar words that are next to each other.
    """

    words: list[Word]
    runs: list[str]
    language: str
    mixed: Mapping[str, frozenset[str]]


def read(text: str) -> Reading:
    """Parse a text. Redaction markers, web and mail addresses, and overlong strings are left out."""
    plain = unicodedata.normalize("NFKC", _ADDRESS.sub(" | ", _REDACTED.sub(" | ", text)))
    words = _split_words(plain)
    runs = _RUN.findall(plain)
    if sum(map(len, runs)) > sum(len(word.key) for word in words) / 2:
        return Reading(words, runs, "ja" if any(map(has_kana, runs)) else "zh", {})
    language = _detect_language(words)
    return Reading(words, runs, language, _find_foreign_words(words, language))


def cut(trigger: str) -> tuple[tuple[str, ...], list[str]]:
    """Split a topic's trigger into the keys of its words and its runs in scripts without spaces."""
    if trigger.isascii() and trigger.replace(" ", "").isalnum():
        return tuple(trigger.lower().split()), []
    return tuple(word.key for word in _split_words(trigger)), _RUN.findall(trigger)


def spoken(words: list[str]) -> list[Word]:
    """Convert words in lower case without accents to `Word` objects that form one phrase."""
    return [Word(word, word, False, False, False) for word in words]


def _split_words(text: str) -> list[Word]:
    words: list[Word] = []
    end = 0
    for match in _WORD.finditer(text):
        gap = text[end : match.start()]
        end = match.end()
        first = not words or (any(mark in gap for mark in ".!?\n|…。！？") and gap != ".")
        first = first and not (words and words[-1].key in listed("tokens.titles"))
        hyphened = bool(words) and gap in ("-", "‐", "‑", "_")
        parted = bool(words) and not (hyphened or gap == "." or (gap.isspace() and "\n" not in gap))
        for part in _split_word(match[0]):
            words.append(Word(part, bare(part).replace("'", "").replace("’", ""), parted, first, hyphened))
            parted = first = hyphened = False
    return words


def _split_word(word: str) -> list[str]:
    """Split off an elided article ("l'eau"). Drop a possessive ending, a Korean particle or an apostrophe in the word."""
    head, mark, tail = straight(word).partition("'")
    if not mark:
        return [_compile_korean_particle_pattern().sub("", word)] if "가" <= word[0] <= "힣" else [word]
    if tail in ("s", "S"):
        return [head]
    if head.lower() in listed("tokens.elided") and tail.lower() not in listed("tokens.clipped"):
        return [head, tail]
    return [head + tail.replace("'", "")]


@cache
def _compile_korean_particle_pattern() -> re.Pattern[str]:
    short, long = ("|".join(listed(f"tokens.{name}")) for name in ("particles", "particles_of_long_words"))
    return re.compile(rf"(?:(?<=[가-힣]{{2}})(?:{short})|(?<=[가-힣]{{3}})(?:{long}))$")


def _find_foreign_words(words: list[Word], own: str) -> Mapping[str, frozenset[str]]:
    """Map other languages to their grammar words that are next to each other. Only English texts are examined."""
    keys_by_language: dict[str, frozenset[str]] = {}
    for language in LANGUAGES[1:] if own == "en" else ():
        foreign = function_words(language) - stop_words("en")
        pairs = (pair for pair in pairwise(words) if all(word.key in foreign for word in pair) and not pair[1].parted)
        if keys := frozenset(word.key for pair in pairs for word in pair):
            keys_by_language[language] = keys
    return keys_by_language


def _detect_language(words: list[Word]) -> str:
    """Return the language with the most grammar words. In a tie, the first in `LANGUAGES` wins, such as English."""
    keys = [word.key for word in words]
    hits = {language: sum(map(function_words(language).__contains__, keys)) for language in LANGUAGES}
    return max(LANGUAGES, key=hits.__getitem__)


def trigger_length(run: str, at: int, table: Mapping[str, object], longest: int, in_a_word: bool = False) -> int:
    """Return the length of the longest table entry at `at`, or 0. If `in_a_word` is true, single characters are ignored."""
    for size in range(min(longest, len(run) - at), int(in_a_word), -1):
        if run[at : at + size] in table:
            return size
    return 0


def alone(run: str, at: int) -> bool:
    """Return whether no Chinese character is next to `at`. In Japanese, the character at `at` is then a whole word."""
    around = run[max(at - 1, 0) : at] + run[at + 1 : at + 2]
    return not any("\u3400" <= char <= "\u9fff" for char in around)
