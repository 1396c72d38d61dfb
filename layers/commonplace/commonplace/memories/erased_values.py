"""Takes values out of a JSON document, and the names that tell of nothing else."""

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from itertools import chain, count
from typing import Any

ERASED = "[erased]"
_ERASED_NAME = re.compile(rf"{re.escape(ERASED)}( \d+)?")


def without_values(body: str, gone: Collection[int], with_names: bool) -> str:
    """A JSON text without some of its values, by their numbers; what is neither null nor empty is counted.

    `with_names`: a name goes as well, where all that is under it is erased. The numbers of the values stay.
    """
    value, _ = _Emptying(gone, with_names).left(json.loads(body))
    return json.dumps(value, ensure_ascii=False)


@dataclass
class _Emptying:
    gone: Collection[int]
    with_names: bool
    number: int = 0

    def left(self, value: Any) -> tuple[Any, bool | None]:
        """What is left of a value, and whether all of it is erased; None where there was nothing."""
        if isinstance(value, dict):
            entries = [(name, *self.left(inner)) for name, inner in value.items()]
            return self._named(entries), _all_of(is_gone for _, _, is_gone in entries)
        if isinstance(value, list):
            inside = [self.left(inner) for inner in value]
            return [inner for inner, _ in inside], _all_of(is_gone for _, is_gone in inside)
        if value is None or value == "":
            return value, None
        self.number += 1
        return (ERASED, True) if value == ERASED or self.number - 1 in self.gone else (value, False)

    def _named(self, entries: list[tuple[str, Any, bool | None]]) -> dict[str, Any]:
        taken = {name for name, _, _ in entries}
        free = (name for name in chain([ERASED], (f"{ERASED} {one}" for one in count(2))) if name not in taken)
        goes = (self.with_names and is_gone and not _ERASED_NAME.fullmatch(name) for name, _, is_gone in entries)
        return {next(free) if gone else name: inner for (name, inner, _), gone in zip(entries, goes, strict=True)}


def _all_of(parts: Iterable[bool | None]) -> bool | None:
    known = {one for one in parts if one is not None}
    return known == {True} if known else None
