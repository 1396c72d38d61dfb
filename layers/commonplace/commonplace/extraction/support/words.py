"""The word tables of each language, read on first use."""

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from commonplace.extraction.the_user import THE_USER


@cache
def tables() -> Mapping[str, Mapping[str, Any]]:
    """Language code to its tables."""
    return tomllib.loads((files(__package__) / "words.toml").read_text("utf-8"))


@cache
def listed(name: str) -> frozenset[str]:
    """The words of a list in every language."""
    return frozenset(word for table in tables().values() for word in str(table.get(name, "")).split())


@cache
def no_names(code: str) -> frozenset[str]:
    """Words with a capital that are no names in a language; in English "Mia" is one, though Italian has it for "my"."""
    if code not in tables():
        return listed("names_none")
    return THE_USER | frozenset(word for own in {code, "en"} for word in str(tables()[own].get("names_none", "")).split())


@cache
def numbers_of(code: str) -> Mapping[str, int]:
    """The number words of a language, "dreiundzwanzig" and "eenentwintig" among them; none for a language without a table."""
    plain: Mapping[str, int] = tables().get(code, {}).get("numbers", {})
    ones = {"ein": 1, "één": 1, "een": 1, "uno": 1} | {word: value for word, value in plain.items() if value < 10}
    tens = {word: value for word, value in plain.items() if 20 <= value < 100}
    joint = {"de": ("und",), "nl": ("en", "ën")}.get(code, ())
    made = {one + link + ten: tens[ten] + ones[one] for one in ones for link in joint for ten in tens}
    if code == "it":
        made = {(ten[:-1] if one in ("uno", "otto") else ten) + one: tens[ten] + ones[one] for ten in tens for one in ones}
        made |= {ten + "tré": value + 3 for ten, value in tens.items()}
    for word, value in [*plain.items()]:
        if value in (100, 1000) and code in ("de", "nl", "it"):
            made |= {one + word: ones[one] * value for one in ones}
    return {**made, **plain}


@cache
def every_number() -> Mapping[str, frozenset[int]]:
    """Number words of all languages, and the hints, to what they may mean."""
    found: dict[str, set[int]] = {}
    for code, table in tables().items():
        for word, value in (*numbers_of(code).items(), *table["hints"].items()):
            found.setdefault(word, set()).add(value)
    return {word: frozenset(values) for word, values in found.items()}
