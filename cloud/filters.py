"""Filter criteria of an event source mapping: which records of a stream a function gets to see at all.

A pattern has the shape of a record, with a list of rules at each leaf: a record passes when at every leaf one rule holds,
and the records of a mapping when one of its patterns lets them pass.
"""

import json
import operator
from collections.abc import Mapping, Sequence
from typing import Any

Pattern = Mapping[str, Any]

_ABSENT = object()
_COMPARE = {"=": operator.eq, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge}


def patterns(criteria: Mapping[str, Any] | None) -> list[Pattern]:
    """The patterns of a mapping's `FilterCriteria`; each is a string of JSON there. None lets all pass."""
    return [json.loads(each["Pattern"]) for each in (criteria or {}).get("Filters", [])]


def passes(record: Mapping[str, Any], wanted: Sequence[Pattern]) -> bool:
    """Whether a record passes; raises `ValueError` for a rule that is not known here."""
    return not wanted or any(_matches(record, pattern) for pattern in wanted)


def _matches(value: Any, pattern: Any) -> bool:
    if isinstance(pattern, list):
        return any(_holds(value, rule) for rule in pattern)
    inside = value if isinstance(value, Mapping) else {}
    return all(_matches(inside.get(name, _ABSENT), part) for name, part in pattern.items())


def _holds(value: Any, rule: Any) -> bool:
    if not isinstance(rule, Mapping):
        return value is not _ABSENT and type(value) is type(rule) and bool(value == rule)
    ((name, operand),) = rule.items()
    match name:
        case "exists":
            return (value is not _ABSENT and not isinstance(value, Mapping)) is operand  # leaves only, as documented
        case "prefix":
            return isinstance(value, str) and value.startswith(operand)
        case "suffix":
            return isinstance(value, str) and value.endswith(operand)
        case "equals-ignore-case":
            return isinstance(value, str) and value.lower() == operand.lower()
        case "anything-but":
            others = operand if isinstance(operand, list) else [operand]
            return value is not _ABSENT and not any(_holds(value, other) for other in others)
        case "numeric":
            number = isinstance(value, int | float) and not isinstance(value, bool)
            return number and all(
                _COMPARE[sign](value, limit) for sign, limit in zip(operand[::2], operand[1::2], strict=True)
            )
    raise ValueError(f"{name}: this filter rule is not known here")
