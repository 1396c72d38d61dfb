"""Calls of the tools, with the arguments and the answers that the specification shows."""

from collections.abc import Callable
from typing import Any

import pytest

from commonplace import Commonplace
from tests.specification.rows import Row, check, rows_of


@pytest.mark.parametrize("row", rows_of("calls"))
def test_a_call_answers_as_it_is_written(row: Row, memory: Commonplace) -> None:
    named: dict[str, Any] = {}
    for step in row["steps"]:
        status, answer = memory.answer(step["tool"], _with_names(step["arguments"], named))
        check(answer, _with_names(step.get("answer", {}), named))
        assert status == step.get("status", 200), answer
        named |= {name: _at(answer, place) for name, place in step.get("name", {}).items()}
    if "record" in row:
        check([one for one in memory.export() if one["status"] == "active"], row["record"])


@pytest.mark.parametrize("row", rows_of("methods"))
def test_a_python_call_answers_as_it_is_written(row: Row, memory: Commonplace) -> None:
    for step in row["steps"]:
        method: Callable[..., Any] = getattr(memory, step["method"])
        answer = method(*step.get("given", []), **step.get("named", {})).model_dump(mode="json")
        check(answer, step.get("answer", {}))


def _with_names(given: Any, named: dict[str, Any]) -> Any:
    """The same with each `<name>` replaced by what an earlier answer held."""
    if isinstance(given, dict):
        return {field: _with_names(value, named) for field, value in given.items()}
    if isinstance(given, list):
        return [_with_names(value, named) for value in given]
    return named.get(given.strip("<>"), given) if isinstance(given, str) and given.startswith("<") else given


def _at(answer: Any, place: str) -> Any:
    for part in place.split("."):
        answer = answer[int(part)] if isinstance(answer, list) else answer[part]
    return answer
