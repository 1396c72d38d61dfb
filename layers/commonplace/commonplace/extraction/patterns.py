"""Recognize kinds of clauses by their wording, instructions to a text's reader, and words for the user."""

import re
from functools import cache, lru_cache
from unicodedata import normalize

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import Expressions, read_table, table_of

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ja")
"""The languages of the wordings in `patterns.toml`."""
FORGETTING_ONLY_REPORTED = (
    "zh", "ko", "ru", "uk", "pl", "cs", "ro", "sv", "nb", "da", "fi", "tr", "id", "vi", "el", "ar", "hi", "th",
)  # fmt: skip
"""The languages in which forget requests are recognized, but not the things to forget."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
_BLANKS = re.compile(r"\s+")
_EXPRESSIONS = Expressions(__package__)
expression, compiled = _EXPRESSIONS.expression, _EXPRESSIONS.compiled


@cache
def wording_pattern(kind: str) -> re.Pattern[str]:
    """Return the case-insensitive pattern for a kind of wording, in all languages. Raises KeyError for an unknown kind."""
    return re.compile("|".join(f"(?:{line})" for line in alternatives(kind)), re.IGNORECASE)


@lru_cache(maxsize=4096)  # each result is used about three times while a message is read
def has_wording(kind: str, text: str) -> bool:
    """Return whether a text contains a wording of this kind."""
    return wording_pattern(kind).search(straight(text)) is not None


def alternatives(kind: str) -> list[str]:
    """Return the regular expressions for a kind of wording, as a list."""
    return [line for line in table_of(__package__, "patterns.toml")[kind].splitlines() if line]


@cache
def word_list(name: str) -> frozenset[str]:
    """Return the unstemmed words from a list in `words.toml`. Raises KeyError for an unknown list."""
    return frozenset(table_of(__package__, "words.toml")[name].split())


@cache
def word_stems(name: str) -> frozenset[str]:
    """Return the stems of the words in a list in `words.toml`."""
    return frozenset(tokenizer.terms(table_of(__package__, "words.toml")[name]))


@cache
def the_user() -> frozenset[str]:
    """Return the words that refer to the user in the third person."""
    return word_list("user") | word_list("user_unspaced")


def mentions_the_user(text: str) -> bool:
    """Return whether a text mentions the user in the third person."""
    return _compile_mention().search(text) is not None


@cache
def _compile_mention() -> re.Pattern[str]:
    spaced, unspaced = ("|".join(map(re.escape, sorted(word_list(name)))) for name in ("user", "user_unspaced"))
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}", re.IGNORECASE)


@lru_cache(maxsize=1024)
def is_instruction_to_reader(text: str) -> bool:
    """Return whether a text gives instructions to the reader or dictates memories, in any language (prompt injection).

    Users' requests about themselves don't count ("remember that I …", "forget what I said", "always answer in French"). The
    running time is linear in the text's length.
    """
    plain = _BLANKS.sub(" ", straight(_INVISIBLE.sub("", normalize("NFKC", text))))
    return _compile_injections().search(plain) is not None


@cache
def _compile_injections() -> re.Pattern[str]:
    table = read_table(__package__, "injections.toml")
    wordings = [wording for key, row in table.items() if key != "words" for wording in row]
    for name, words in table["words"].items():
        wordings = [wording.replace(f"{{{name}}}", f"(?:{words})") for wording in wordings]
    return re.compile("|".join(f"(?:{wording})" for wording in wordings), re.IGNORECASE)
