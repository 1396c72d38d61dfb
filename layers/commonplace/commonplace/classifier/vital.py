"""What must not be forgotten, told by its wording: an allergy or an illness, and what somebody is called."""

import functools
import re
import tomllib
from importlib.resources import files
from typing import NamedTuple

from commonplace.classifier.words import CJK, normal


def tells_of_health(text: str) -> bool:
    """Whether an allergy, an illness or the like is named, other than in what was read about it."""
    plain = normal(text)
    return bool(_tables().health.search(plain)) and not _tables().heard_of.search(plain)


def tells_a_name(text: str) -> bool:
    """Whether it says what the user, their family, their pets or their boss are called."""
    return bool(_tables().named.search(text.replace("’", "'")))


class _Tables(NamedTuple):
    health: re.Pattern[str]
    heard_of: re.Pattern[str]
    named: re.Pattern[str]


@functools.cache
def _tables() -> _Tables:
    table = tomllib.loads((files(__package__) / "vital.toml").read_text(encoding="utf-8"))
    return _Tables(_any_of(table["health"]), _any_of(table["heard_of"]), re.compile("|".join(table["named"])))


def _any_of(cues: str) -> re.Pattern[str]:
    return re.compile("|".join(_anywhere_or_as_a_word(cue.strip()) for cue in cues.split(",")))


def _anywhere_or_as_a_word(cue: str) -> str:
    if CJK.search(cue):
        return re.escape(cue)
    return rf"\b{re.escape(cue.removesuffix('*'))}" + ("" if cue.endswith("*") else r"\b")
