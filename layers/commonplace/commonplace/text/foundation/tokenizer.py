"""Convert a text to tokens. Search indexes receive these tokens and have no analyzers of their own.

Tokens contain only letters and digits, so that every index treats them in the same way. Technical words are spelled out
(`c++` becomes `cpp`). Combining marks are dropped, and English words are stemmed (Snowball). Korean and scripts without
spaces become character bigrams, and Chinese characters also become single tokens.
"""

import functools
import re
import unicodedata
from collections.abc import Collection

from commonplace.text.foundation.characters import HANGUL, UNSPACED
from commonplace.text.foundation.expressions import table_of

_TECHNICAL = {"c++": "cpp", "c#": "csharp", "f#": "fsharp", ".net": "dotnet", "g++": "gpp"}
_TECHNICAL_WORD = re.compile(r"(?<!\w)(?:c\+\+|c#|f#|\.net|g\+\+)(?!\w)")
_DIGIT_GROUPS = re.compile(r"(?<=\d),(?=\d{3}\b)")
_DECIMAL = re.compile(r"(?<=\d)[.,](?=\d)")
_UNSPACED = UNSPACED + HANGUL
_RUN = re.compile(rf"([{_UNSPACED}]+)|([^\W_{_UNSPACED}]+)|[^\W_]")
_MARKED = ("LATIN", "GREEK", "CYRILLIC")


@functools.cache
def stop_words() -> frozenset[str]:
    """Return the words that are never indexed. These are English function words and words about talking."""
    return frozenset(table_of(__package__, "stop_words.toml")["index"].split())


@functools.cache
def terms_of_asking() -> frozenset[str]:
    """Return the terms that occur in questions but give nothing to search for ("show everything that you know")."""
    return frozenset(terms(table_of(__package__, "stop_words.toml")["asking"]))


def words(text: str) -> list[str]:
    """Return all words of a text, in order, in lower case, without accents. Scripts without spaces are split into n-grams."""
    tokens: list[str] = []
    for match in _RUN.finditer(_fold_text(text)):
        run = match[1]
        if run is None:
            tokens.append(match[0])
        else:  # these Unicode blocks also contain marks and currency signs
            parts = [run] if run.isalnum() else "".join(char if char.isalnum() else " " for char in run).split()
            tokens.extend(gram for part in parts for gram in _split_bigrams(part))
    return tokens


def terms(text: str, without: Collection[str] = ()) -> list[str]:
    """Return a text's index tokens, which are its stemmed words, except for stop words and the words in `without`."""
    left_out = stop_words()
    return [_stem_word(word) for word in words(text) if word not in left_out and word not in without]


def _fold_text(text: str) -> str:
    """Return the text in lower case without accents or possessives. "c++" becomes "cpp", and "1,000.5" becomes "1000p5"."""
    folded = unicodedata.normalize("NFKC", text).casefold()
    if folded.isascii():
        marks_dropped = folded
    else:
        folded = folded.replace("’", "'").replace("ʼ", "'")
        marks_dropped = "".join(_remove_marks(char) for char in folded)
    spelled = _TECHNICAL_WORD.sub(lambda match: _TECHNICAL[match[0]], marks_dropped)
    spelled = spelled.replace("'s ", " ").replace("'", "")
    return _DECIMAL.sub("p", _DIGIT_GROUPS.sub("", spelled)) if any(map(str.isdigit, spelled)) else spelled


@functools.lru_cache(maxsize=4096)
def _remove_marks(char: str) -> str:
    """Remove marks from Latin, Greek and Cyrillic letters. In other scripts, a mark makes another letter (が, か)."""
    if char.isascii():
        return char
    if unicodedata.category(char).startswith("M"):
        return ""
    if unicodedata.name(char, "").startswith(_MARKED):
        return "".join(part for part in unicodedata.normalize("NFD", char) if not unicodedata.combining(part))
    return char


def _split_bigrams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)] + [char for char in run if "\u3400" <= char <= "\u9fff"]


@functools.lru_cache(maxsize=16384)
def _stem_word(word: str) -> str:
    """Return the English (Snowball) stem of a word. Numbers and words with non-ASCII letters are returned unchanged.

    Each call that misses the cache creates a stemmer, because threads can't share one.
    """
    if not word.isascii() or word.isdigit():
        return word
    import snowballstemmer

    stem: str = snowballstemmer.stemmer("english").stemWord(word)
    return stem
