"""The word tables in `words.toml`, read once on first use."""

import tomllib
from functools import cache
from importlib.resources import files


@cache
def _tables() -> dict[str, dict[str, str]]:
    return tomllib.loads(files(__package__).joinpath("words.toml").read_text(encoding="utf-8"))


@cache
def table(name: str) -> frozenset[str]:
    """The words of `section.name`; a phrase has blanks for its underscores. KeyError for an unknown table."""
    section, key = name.split(".")
    return frozenset(word.replace("_", " ") for word in _tables()[section][key].split())


@cache
def mapping(name: str) -> dict[str, tuple[str, ...]]:
    """The `word=value,value` pairs of `section.name`, underscores read as blanks."""
    section, key = name.split(".")
    pairs = (pair.replace("_", " ").partition("=") for pair in _tables()[section][key].split())
    return {word: tuple(values.split(",")) for word, _, values in pairs}
