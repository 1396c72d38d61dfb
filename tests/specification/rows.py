"""Reads the rows, and tells where an answer is not what a row says.

An expected value is literal; of an object only the fields that are named are looked at. An object whose only field begins
with `$` is a condition: see `CONDITIONS`.
"""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

HERE = Path(__file__).parent
Row = dict[str, Any]


def rows_of(kind: str) -> list[Any]:
    """The rows of a kind in all documents, as parameters of a test; `pending` is why one may still fail."""
    return [
        pytest.param(row, id=f"{file.stem}: {row.get('id') or row['name']}", marks=_marks(row))
        for file in sorted(HERE.glob("*.json"))
        for row in json.loads(file.read_text("utf-8")).get(kind, [])
    ]


def _marks(row: Row) -> list[pytest.MarkDecorator]:
    return [pytest.mark.xfail(reason=row["pending"], strict=False)] if "pending" in row else []


def differences(found: Any, expected: Any, place: str = "") -> Iterator[str]:
    """A line for each place where an answer is not what was expected."""
    condition = _condition(expected)
    if condition:
        name, value = condition
        if not CONDITIONS[name](found, value):
            yield f"{place}: {found!r} is not {name} {value!r}"
    elif isinstance(expected, dict) and isinstance(found, dict):
        for field, inner in expected.items():
            yield from differences(found.get(field, ABSENT), inner, f"{place}.{field}")
    elif isinstance(expected, list) and isinstance(found, list) and len(found) == len(expected):
        for number, (one, inner) in enumerate(zip(found, expected, strict=True)):
            yield from differences(one, inner, f"{place}.{number}")
    elif found != expected:
        yield f"{place}: {found!r} is not {expected!r}"


def check(found: Any, expected: Any) -> None:
    """Fails with a line for each difference."""
    lines = list(differences(found, expected))
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


class _Absent:
    def __repr__(self) -> str:
        return "nothing"


ABSENT = _Absent()


def _condition(expected: Any) -> tuple[str, Any] | None:
    if isinstance(expected, dict) and len(expected) == 1 and (name := next(iter(expected))).startswith("$"):
        return name, expected[name]
    return None


def _has(found: Any, wanted: Any) -> bool:
    return isinstance(found, list) and any(not list(differences(one, wanted)) for one in found)


CONDITIONS: dict[str, Callable[[Any, Any], bool]] = {
    "$absent": lambda found, _: found is ABSENT or found is None,
    "$matches": lambda found, pattern: isinstance(found, str) and re.search(pattern, found) is not None,
    "$between": lambda found, ends: isinstance(found, int | float) and ends[0] <= found <= ends[1],
    "$one_of": lambda found, choices: found in choices,
    "$has": lambda found, wanted: all(_has(found, one) for one in wanted),
    "$lacks": lambda found, unwanted: not any(_has(found, one) for one in unwanted),
    "$size": lambda found, ends: isinstance(found, list) and ends[0] <= len(found) <= ends[1],
    "$fields": lambda found, names: isinstance(found, dict) and set(names) <= set(found),
    "$all": lambda found, wanted: all(not list(differences(found, one)) for one in wanted),
    "$each": lambda found, wanted: isinstance(found, list) and not [d for one in found for d in differences(one, wanted)],
}
"""Whether a value is as a condition says. `$has`: a list holds each of these; `$each`: all its items are so."""
