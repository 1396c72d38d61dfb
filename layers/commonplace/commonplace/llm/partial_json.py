"""Read the items of a JSON list in a model's answer, even if the answer was cut off."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from pydantic_core import from_json

CUTS = ("max_tokens", "model_context_window_exceeded")
"""The stop reasons of an answer that a limit cut off, perhaps in the middle of an item."""

_MOST_OPENINGS = 20
_HALVES = re.compile(
    r"(\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|\\[^u])|\\u[dD][89a-fA-F][0-9a-fA-F]{2}|[\ud800-\udfff]"
)
"""Matches half a character (a lone surrogate). Whole pairs and escaped backslashes also match, so that they are skipped."""


@dataclass(frozen=True)
class Items:
    """The complete items of a list, in order. `incomplete` is the item in which the answer was cut off, or None."""

    complete: list[object]
    incomplete: object = None


def items_of(text: str, name: str, cut: bool) -> Items | None:
    """Return the items of the list `name` in the JSON of an answer, or None if there is no such list.

    Code fences and remarks around the JSON are ignored. `cut` is True if a limit ended the answer, perhaps within an item.
    Half a character is read as U+0000, which no field may contain, so that only the item with this character is invalid.
    """
    for fields, remainder in _find_objects(text):
        if isinstance(fields.get(name), list):
            items: list[object] = fields[name]
            ended = not items or not cut or _is_cut_after_item(remainder)
            return Items(items) if ended else Items(items[:-1], items[-1])
    return None


def object_with(text: str, name: str) -> dict[str, Any] | None:
    """Return the first complete JSON object in an answer that has the field `name`, or None."""
    return next((fields for fields, remainder in _find_objects(text) if name in fields and _has_full_object(remainder)), None)


def _find_objects(text: str) -> Iterator[tuple[dict[str, Any], str]]:
    """Yield the JSON objects in the answer, each with the text from its start. Objects may be cut off."""
    text = _HALVES.sub(lambda match: match[1] or r"\u0000", text)
    start = -1
    for _ in range(_MOST_OPENINGS):
        start = text.find("{", start + 1)
        if start < 0:
            return
        try:
            value = from_json(text[start:], allow_partial=True)
        except ValueError:
            continue
        if isinstance(value, dict):
            yield value, text[start:]


def _has_full_object(text: str) -> bool:
    """Return whether the text starts with a complete JSON object."""
    try:
        json.JSONDecoder().raw_decode(text)
    except ValueError:
        return False
    return True


def _is_cut_after_item(text: str) -> bool:
    """Return whether a JSON object was cut off between two items of its list, so that at most "]}" is missing."""
    trimmed = text.rstrip(", \n")
    return any(_is_json(trimmed + end) for end in ("", "}", "]}"))


def _is_json(text: str) -> bool:
    try:
        from_json(text)
    except ValueError:
        return False
    return True
