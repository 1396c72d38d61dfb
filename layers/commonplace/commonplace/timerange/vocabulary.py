"""The word files: what each language says about time."""

from functools import cache
from pathlib import Path
from typing import Any

LANGUAGES = ("en", "de", "fr", "es", "ja")


@cache
def vocabulary(language: str) -> dict[str, Any]:
    """The word file of a language as it is."""
    import tomllib

    return tomllib.loads(Path(__file__).with_name("words").joinpath(f"{language}.toml").read_text("utf-8"))


@cache
def phrases_of(language: str, slot: str) -> dict[str, str]:
    """The phrases of a slot and what each means (a list's phrases mean themselves); empty if the language has none."""
    table = vocabulary(language)["slot"].get(slot, {})
    if isinstance(table, list):
        return {phrase: phrase for phrase in table}
    return {phrase: value for value, phrases in table.items() for phrase in phrases}
