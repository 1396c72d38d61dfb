"""Numbers of persons, by the word beside them or by their check digits: SSN, NIR, DNI, Steuer-ID, マイナンバー."""

import re
import tomllib
from collections.abc import Callable, Iterator
from functools import cache
from importlib import resources
from typing import NamedTuple

from commonplace.redaction.view import Span, View

_DIGITS = re.compile(r"\d(?:\D{0,3}\d){3}")  # none of them has fewer
_BEFORE, _AFTER = 60, 40
_SPANISH_LETTERS = "trwagmyfpdxbnjzsqvhlcke"


class _Identity(NamedTuple):
    number: re.Pattern[str]
    word: re.Pattern[str]
    proves_itself: Callable[[str], bool]


def find_identities(view: View) -> Iterator[Span]:
    """Spans of numbers that a state or an insurance gives a person."""
    if not _DIGITS.search(view.text):
        return
    for identity in _identities():
        for match in identity.number.finditer(view.folded):
            near = view.folded[max(0, match.start() - _BEFORE) : match.end() + _AFTER]
            if identity.word.search(near) or identity.proves_itself(re.sub(r"[^a-z0-9]", "", match[0])):
                yield Span(*match.span(), "ssn")


@cache
def _identities() -> list[_Identity]:
    rows = tomllib.loads(resources.files(__package__).joinpath("identities.toml").read_text("utf-8"))["identity"]
    checks = {"french": _is_french, "spanish": _is_spanish}
    return [
        _Identity(
            re.compile(rf"(?<![a-z0-9.-])(?:{row['pattern']})(?![a-z0-9])"),
            re.compile(rf"(?<![a-z])(?:{row['word']})(?![a-z])"),
            checks.get(row.get("check", ""), lambda _: False),
        )
        for row in rows
    ]


def _is_french(number: str) -> bool:
    if len(number) != 15:
        return False
    plain = number[:13].replace("2a", "19").replace("2b", "18")
    return number[0] in "12" and plain.isdigit() and 97 - int(plain) % 97 == int(number[13:])


def _is_spanish(number: str) -> bool:
    plain = number[:-1].replace("x", "0").replace("y", "1").replace("z", "2")
    return plain.isdigit() and number[0] in "xyz" and _SPANISH_LETTERS[int(plain) % 23] == number[-1]
