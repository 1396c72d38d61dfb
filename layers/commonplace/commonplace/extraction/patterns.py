"""The wordings that tell what a clause is: one pattern per kind; and instructions to the reader, and words for the user."""

import re
from functools import cache, lru_cache
from unicodedata import normalize

from commonplace.text.foundation import tokenizer
from commonplace.text.foundation.characters import straight
from commonplace.text.foundation.expressions import Expressions, read_table, table_of

LANGUAGES = ("en", "de", "fr", "es", "pt", "it", "nl", "ja")
"""Whose wordings stand in `patterns.toml`."""
FORGETTING_ONLY_REPORTED = (
    "zh", "ko", "ru", "uk", "pl", "cs", "ro", "sv", "nb", "da", "fi", "tr", "id", "vi", "el", "ar", "hi", "th",
)  # fmt: skip
"""In which a request to forget is heard, but not what it is about."""

_INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\U000e0000-\U000e007f]")
_BLANKS = re.compile(r"\s+")
_EXPRESSIONS = Expressions(__package__)
expression, compiled = _EXPRESSIONS.expression, _EXPRESSIONS.compiled


@cache
def wording_pattern(kind: str) -> re.Pattern[str]:
    """The case-insensitive pattern of a kind in all languages. KeyError for an unknown kind."""
    return re.compile("|".join(f"(?:{line})" for line in alternatives(kind)), re.IGNORECASE)


@lru_cache(maxsize=4096)  # reading a message asks three times for the same
def has_wording(kind: str, text: str) -> bool:
    """Whether a text has a wording of that kind."""
    return wording_pattern(kind).search(straight(text)) is not None


def alternatives(kind: str) -> list[str]:
    """The single expressions of a kind."""
    return [line for line in table_of(__package__, "patterns.toml")[kind].splitlines() if line]


@cache
def word_list(name: str) -> frozenset[str]:
    """The words of a list of `words.toml`, as they are written there. KeyError for an unknown one."""
    return frozenset(table_of(__package__, "words.toml")[name].split())


@cache
def word_stems(name: str) -> frozenset[str]:
    """The same as an index has them."""
    return frozenset(tokenizer.terms(table_of(__package__, "words.toml")[name]))


@cache
def the_user() -> frozenset[str]:
    """The words for the user in the third person."""
    return word_list("user") | word_list("user_unspaced")


def mentions_the_user(text: str) -> bool:
    """Whether a text mentions the user in the third person."""
    return _mention().search(text) is not None


@cache
def _mention() -> re.Pattern[str]:
    spaced, unspaced = ("|".join(map(re.escape, sorted(word_list(name)))) for name in ("user", "user_unspaced"))
    return re.compile(rf"\b(?:{spaced})\b|{unspaced}", re.IGNORECASE)


@lru_cache(maxsize=1024)
def is_instruction_to_reader(text: str) -> bool:
    """Whether a text gives the reader instructions or dictates memories, in any language (prompt injection).

    What a user asks for about themselves is none: "remember that I …", "forget what I said", "always answer in French".
    The time is linear in the length of the text.
    """
    plain = _BLANKS.sub(" ", straight(_INVISIBLE.sub("", normalize("NFKC", text))))
    return _wordings().search(plain) is not None


@cache
def _wordings() -> re.Pattern[str]:
    table = read_table(__package__, "injections.toml")
    wordings = [wording for key, row in table.items() if key != "words" for wording in row]
    for name, words in table["words"].items():
        wordings = [wording.replace(f"{{{name}}}", f"(?:{words})") for wording in wordings]
    return re.compile("|".join(f"(?:{wording})" for wording in wordings), re.IGNORECASE)
