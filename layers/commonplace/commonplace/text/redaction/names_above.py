"""What the names above a value tell of it: `credentials github` makes a secret of a made-up word, `max_tokens` none of 4096."""

import re
import tomllib
from functools import cache
from importlib import resources

from commonplace.text.redaction.assignments import kind_of, parts_of_name
from commonplace.text.redaction.values import is_blank, is_mixed

_HOLDING = ("password", "api_key", "token", "private_key", "one_time_code")
"""The kinds of which any made-up word may be one: a pin is a number, and a seed may be a tomato."""
_SEVERAL = ("password", "api_key", "token", "private_key")
_DATE = re.compile(r"\d{4}-\d\d?(?:-\d\d?)?(?:[T ][\d:.,+Z-]{0,20})?")
_NUMBER = re.compile(r"[+-]?\d+(?:[.,]\d+)?")


@cache
def _words(name: str) -> frozenset[str]:
    table: dict[str, str] = tomllib.loads(resources.files(__package__).joinpath("names_above.toml").read_text("utf-8"))
    return frozenset(table[name].split())


def measures(names: str, value: str) -> bool:
    """Whether a value counts or dates what its names name: 3600 under `token_expires_in`, 4096 under `max_tokens`."""
    parts = parts_of_name(names)
    if _DATE.fullmatch(value):
        return len(parts) > 1 and parts[-1] in _words("dating")
    if not parts or not _NUMBER.fullmatch(value):
        return False
    return (len(parts) > 1 and parts[-1] in _words("measures")) or parts[-2:] == ["expires", "in"] or _counts_tokens(parts)


def _counts_tokens(parts: list[str]) -> bool:
    if "tokens" not in parts:
        return False
    at = len(parts) - 1 - parts[::-1].index("tokens")
    behind = parts[at + 1 :]
    return set(behind) <= _words("counting") if behind else at == 0 or parts[at - 1] in _words("counted")


def describes(names: str) -> bool:
    """Whether the innermost name is of what is told beside a secret: `apiKeys name`."""
    return not _words("describing").isdisjoint(parts_of_name(names)[-1:])


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
