"""One name for a tag, whatever its spelling, number or alias."""

import functools
import re

from commonplace.tagging.folding import fold
from commonplace.tagging.inflection import singular
from commonplace.tagging.tables import alias_groups

_SEPARATORS = re.compile(r"[\s_\-‐‑]+")
_BRITISH = (
    (re.compile(r"(?<=[a-z]{3})our(?=s?$|ite|ing|ed|ful|hood|al$)"), "or"),
    (re.compile(r"(?<=[a-z]{2})is(?=e[ds]?$|ing$|ation|er$)"), "iz"),
    (re.compile(r"(?<=[a-z]{2})yse(?=[ds]?$)"), "yze"),
    (re.compile(r"(?<=[a-z]{2})tre$"), "ter"),
    (re.compile(r"ogue$"), "og"),
    (re.compile(r"(?<=[aeiou])ll(?=ing$|ed$|er$)"), "l"),
    (re.compile(r"(?<=[a-z]{2})ence$"), "ense"),
    (re.compile(r"^grey"), "gray"),
    (re.compile(r"programme$"), "program"),
    (re.compile(r"ae(?=[dmst])"), "e"),
)


@functools.lru_cache(maxsize=16384)
def same_thing(tag: str) -> str:
    """What two tags of the same thing share: spelling, number and aliases made one. Not for showing."""
    return _spelling(canonical(tag))


@functools.lru_cache(maxsize=16384)
def canonical(tag: str) -> str:
    """The name that the shipped table prefers for a tag, else its singular."""
    plain = _SEPARATORS.sub("-", fold(tag).strip())
    groups = alias_groups()
    last = _singular_tag(plain)
    return next((groups[name][0] for name in (plain, last) if name in groups), last)


def _singular_tag(tag: str) -> str:
    head, mark, last = tag.rpartition("-")
    return head + mark + singular(last)


def _spelling(tag: str) -> str:
    spelled = tag
    for pattern, replacement in _BRITISH:
        spelled = pattern.sub(replacement, spelled)
    return spelled.replace("-", "") if len(spelled) > 3 else spelled
