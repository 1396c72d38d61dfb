"""Whether anything is left of a text besides the secrets in it."""

import re
from functools import cache

from commonplace.redaction import japanese
from commonplace.redaction.view import HIDDEN, View
from commonplace.redaction.vocabulary import nouns, words

# "openai_api_key=[redacted:api_key]": the name of a variable is part of the secret's announcement.
_VARIABLE = re.compile(rf"[a-z][\w.-]{{0,60}}=[\"']?(?={HIDDEN})")
_WORD = re.compile(r"[^\W_]+")


@cache
def _dull() -> frozenset[str]:
    dull = words("dull", "own", "of", "link", "filler", "qualifier", "leadin", "number_glue", "also", "places")
    return dull | {part for word in dull for part in _WORD.findall(word)}


def is_only_secret(view: View) -> bool:
    """True when `view` has secrets hidden in it and beside them nothing but the words that announce one."""
    if HIDDEN not in view.text:
        return False
    rest = _VARIABLE.sub(" ", view.folded)
    for noun in reversed(list(nouns(view))):
        rest = f"{rest[: noun.start]} {rest[noun.end :]}"
    dull = _dull()
    left = _WORD.findall(japanese.without_announcement(rest))
    return all(word in dull or (len(word) == 1 and word.isascii()) for word in left)
