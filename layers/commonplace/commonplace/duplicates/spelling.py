"""British and American spellings of a word."""

import functools
import re

_BRITISH = (
    (re.compile(r"is(?=(?:e|es|ed|ing|er|ers|ation|ations)$)"), "iz"),
    (re.compile(r"our(?=(?:s|ed|ing|ite|ites|able|al|er|ers|hood|ful)?$)"), "or"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"ence(?=s?$)"), "ense"),
    (re.compile(r"ogue(?=s?$)"), "og"),
    (re.compile(r"(?<=[a-z]{3}[aeiou])ll(?=(?:ed|ing|er|ers)$)"), "l"),
    (re.compile(r"amme(?=s?$)"), "am"),
)
_SHORTEST_SPELLED = 6


@functools.lru_cache(maxsize=4096)
def american(word: str) -> str:
    """An English word as it is spelled in America, as far as its ending tells."""
    if len(word) < _SHORTEST_SPELLED:
        return word
    for british, american in _BRITISH:
        word = british.sub(american, word)
    return word
