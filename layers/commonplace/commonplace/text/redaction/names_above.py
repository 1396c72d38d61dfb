"""What the names above a value tell of it: `credentials github` makes a secret of a made-up word, `max_tokens` none of 4096."""

import re

from commonplace.text.redaction.assignments import kind_of, parts_of_name
from commonplace.text.redaction.values import is_blank, is_mixed

_HOLDING = ("password", "api_key", "token", "private_key", "one_time_code")
"""The kinds of which any made-up word may be one: a pin is a number, and a seed may be a tomato."""
_SEVERAL = ("password", "api_key", "token", "private_key")
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?(?:[T ][\d:.,+Z-]{0,20})?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")
_COUNTED = frozenset("max min input output prompt completion total used usage cached reasoning thinking generated".split())
_COUNTING = frozenset("in out input output total used usage cached max min limit count left".split())
"""Words before and behind `tokens` where these are pieces of text that somebody counts."""
_MEASURES = frozenset("ttl length size rate ratio score strength attempts tries retries count limit age".split())
_DATING = frozenset("at on expires expiry expiration created updated changed rotated issued used valid until since".split())
_DESCRIBING = frozenset(
    "user username login host hostname port region zone profile id name title type kind version algorithm alg path file"
    " folder url uri endpoint status label note description scope role issuer certificate exam radius color format".split()
)
"""What is told of a secret beside it, and holds none."""


def measures(names: str, value: str) -> bool:
    """Whether a value counts or dates what its names name: 3600 under `token_expires_in`, 4096 under `max_tokens`."""
    parts = parts_of_name(names)
    if _DATE.fullmatch(value):
        return len(parts) > 1 and parts[-1] in _DATING
    if not parts or not _NUMBER.fullmatch(value):
        return False
    return (len(parts) > 1 and parts[-1] in _MEASURES) or parts[-2:] == ["expires", "in"] or _counts_tokens(parts)


def _counts_tokens(parts: list[str]) -> bool:
    if "tokens" not in parts:
        return False
    at = len(parts) - 1 - parts[::-1].index("tokens")
    behind = parts[at + 1 :]
    return set(behind) <= _COUNTING if behind else at == 0 or parts[at - 1] in _COUNTED


def describes(names: str) -> bool:
    """Whether the innermost name is of what is told beside a secret: `apiKeys name`."""
    return not _DESCRIBING.isdisjoint(parts_of_name(names)[-1:])


def kind_under(names: str, value: str) -> str | None:
    """The kind of secret that a made-up word is under these names, the innermost last, None if it is none.

    Of the outer names those count that hold several: `credentials`, `apiKeys`.
    """
    parts = [word.rstrip("0123456789") for word in parts_of_name(names)]
    if any(map(str.isspace, value)) or not is_mixed(value) or is_blank(value) or _DATE.fullmatch(value) or "public" in parts:
        return None
    own = kind_of("_".join(parts))
    if own in _HOLDING:
        return own
    if describes(names):
        return None
    outer = (_kind_of_several("_".join(parts[:end])) for end in range(len(parts), 0, -1))
    return next(filter(None, outer), None)


def _kind_of_several(name: str) -> str | None:
    kind = kind_of(name.removesuffix("s")) if name.endswith("s") else None
    return kind if kind in _SEVERAL else None
