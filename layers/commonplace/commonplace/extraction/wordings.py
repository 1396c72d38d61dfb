"""The wordings that tell what a clause is: one pattern per kind, from `wordings.toml`."""

import functools
import re
import tomllib
from importlib.resources import files


@functools.cache
def wording(kind: str) -> re.Pattern[str]:
    """The pattern of a kind, case-blind, over all its languages. KeyError for an unknown kind."""
    return re.compile("|".join(f"(?:{line})" for line in alternatives(kind)), re.IGNORECASE)


def says(kind: str, text: str) -> bool:
    """Whether a text has a wording of that kind."""
    return wording(kind).search(text.replace("’", "'")) is not None


def alternatives(kind: str) -> list[str]:
    """The expressions of a kind as they are written, one by one."""
    return [line for line in _table()[kind].splitlines() if line]


@functools.cache
def _table() -> dict[str, str]:
    return tomllib.loads((files(__package__) / "wordings.toml").read_text(encoding="utf-8"))
