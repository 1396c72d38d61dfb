"""Whether anything is left of a text besides the secrets in it."""

import re

from commonplace.redaction import japanese
from commonplace.redaction.view import HIDDEN, View
from commonplace.redaction.vocabulary import nouns, words

_WORD = re.compile(r"[^\W_]+")
_TABLES = ("dull", "own", "of", "link", "filler", "qualifier", "leadin", "number_glue", "also", "places")


def is_only_secret(view: View) -> bool:
    """True when `view` has secrets hidden in it and beside them nothing but the words that announce one."""
    if HIDDEN not in view.text:
        return False
    rest = view.folded
    for noun in reversed(list(nouns(view))):
        rest = f"{rest[: noun.start]} {rest[noun.end :]}"
    dull = frozenset[str]().union(*(words(name) for name in _TABLES))
    dull |= {part for word in dull for part in _WORD.findall(word)}
    return all(word in dull or len(word) == 1 and word.isascii() for word in _WORD.findall(japanese.without_announcement(rest)))
