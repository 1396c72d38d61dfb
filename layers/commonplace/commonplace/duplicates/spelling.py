"""British and American spellings of a word."""

import functools
import re

_NOT_BRITISH = re.compile(
    r"(?:prom|comprom|merchand|telev|franch|advert|parad|pract|exerc|adv|rev|dev|superv|surpr|compr|disgu|desp|expert|enterpr|prec|ra|pra|no|po|cru|bru|r|w)is"
)
"""Before `e` and its like these have an `s` in America too: "promise"."""
_BRITISH = (
    (re.compile(r"is(?=(?:e|es|ed|ing|er|ers|ation|ations)$)"), "iz"),
    (re.compile(r"our(?=(?:s|ed|ing|ite|ites|able|al|er|ers|hood|ful)?$)"), "or"),
    (re.compile(r"tre(?=s?$)"), "ter"),
    (re.compile(r"(?<=(?:defen|offen|licen|reten))ce(?=s?$)"), "se"),
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
    kept = _NOT_BRITISH.match(word)
    for british, spelled in _BRITISH[1:] if kept else _BRITISH:
        word = british.sub(spelled, word)
    return word
