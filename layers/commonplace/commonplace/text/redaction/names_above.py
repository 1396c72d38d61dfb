"""What the names above a value tell of it: `credentials github` makes a secret of a made-up word, `max_tokens` none of 4096.

Names are given as their words (`assignments.parts_of_name`), those of the innermost last.
"""

import re
from collections.abc import Sequence

from commonplace.text.redaction.assignments import kind_of
from commonplace.text.redaction.values import is_blank, is_mixed
from commonplace.text.redaction.vocabulary import words

_HOLDING = ("password", "api_key", "token", "private_key", "one_time_code")
"""The kinds of which any made-up word may be one: a pin is a number, and a seed may be a tomato."""
_SEVERAL = ("password", "api_key", "token", "private_key")
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?(?:[T ][\d:.,+Z-]{0,20})?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


def measures(names: Sequence[str], value: str) -> bool:
    """Whether a value counts or dates what its names name: 3600 under `token_expires_in`, 4096 under `max_tokens`."""
    if _DATE.fullmatch(value):
        return len(names) > 1 and names[-1] in words("dating")
    if not names or not _NUMBER.fullmatch(value):
        return False
    measured = len(names) > 1 and names[-1] in words("measuring")
    return measured or names[-2:] == ["expires", "in"] or _counts_tokens(names)


def _counts_tokens(names: Sequence[str]) -> bool:
    if "tokens" not in names:
        return False
    at = len(names) - 1 - names[::-1].index("tokens")
    behind = names[at + 1 :]
    return words("behind_tokens").issuperset(behind) if behind else at == 0 or names[at - 1] in words("before_tokens")


def describes(names: Sequence[str]) -> bool:
    """Whether the innermost name is of what is told beside a secret: `apiKeys name`."""
    return not words("describing").isdisjoint(names[-1:])


def kind_under(names: Sequence[str], value: str) -> str | None:
    """The kind of secret that a made-up word is under these names, None if it is none.

    Of the outer names those count that hold several: `credentials`, `apiKeys`.
    """
    bare = [one for name in names if (one := name.rstrip("0123456789"))]
    if any(map(str.isspace, value)) or not is_mixed(value) or is_blank(value) or _DATE.fullmatch(value) or "public" in bare:
        return None
    own = kind_of(bare)
    if own in _HOLDING:
        return own
    if describes(names):
        return None
    outer = (_kind_of_several(bare[:end]) for end in range(len(bare), 0, -1))
    return next(filter(None, outer), None)


def _kind_of_several(names: Sequence[str]) -> str | None:
    several = " ".join(names)
    kind = kind_of(several.removesuffix("s").split()) if several.endswith("s") else None
    return kind if kind in _SEVERAL else None
