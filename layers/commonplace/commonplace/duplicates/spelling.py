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


def same_spelling(one: str, other: str) -> bool:
    """Whether two English words differ only in British or American spelling."""
    return min(len(one), len(other)) >= _SHORTEST_SPELLED - 1 and _american(one) == _american(other)


@functools.lru_cache(maxsize=4096)
def _american(word: str) -> str:
    if len(word) < _SHORTEST_SPELLED:
        return word
    for british, american in _BRITISH:
        word = british.sub(american, word)
    return word
