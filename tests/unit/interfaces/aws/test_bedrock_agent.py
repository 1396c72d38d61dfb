"""What finds no room in the five parameters of a Bedrock agent's function travels as `options`."""

from typing import Any

import pytest

from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.fields import Request
from commonplace.domain.requests import SearchRequest, StorePersonalRequest
from commonplace.domain.storage import WriteRequest
from commonplace.interfaces.aws.bedrock_agent import unfolded

FACT = {"key": "tea", "value": "The user drinks tea.", "category": "preference", "durability": "durable"}


def typed(kind: type[Request], given: dict[str, Any]) -> Any:
    return as_declared(kind, unfolded(kind, given))


def test_they_are_arguments_like_the_others() -> None:
    given = {**FACT, "options": '{"confidence": 0.6, "allow_similar": "true", "source": "agent"}'}
    assert typed(WriteRequest, given) == {**FACT, "confidence": 0.6, "allow_similar": True, "source": "agent"}


def test_a_nested_object_comes_as_one_or_as_a_string_of_it() -> None:
    for place in ('{"position": 3}', '"{\\"position\\": 3}"'):
        read = typed(StorePersonalRequest, {"tags": '["tea"]', "options": f'{{"agent_id": "coach", "place": {place}}}'})
        assert read == {"tags": ["tea"], "agent_id": "coach", "place": {"position": 3}}


def test_a_tool_with_options_of_its_own_keeps_them() -> None:
    assert typed(SearchRequest, {"query": "tea", "options": '{"limit": 3}'}) == {"query": "tea", "options": {"limit": 3}}


@pytest.mark.parametrize(
    ("options", "code", "field"),
    [
        ("allow_similar", "invalid_json", "options"), ("[1]", "invalid_argument", "options"), ("3", "invalid_argument", "options"),
        ('{"key": "coffee"}', "invalid_argument", "key"), ('{"options": {}}', "invalid_argument", "options"),
    ],
)  # fmt: skip
def test_what_is_no_object_or_says_something_twice_is_refused_by_its_name(options: str, code: str, field: str) -> None:
    with pytest.raises(CommonplaceError) as caught:
        typed(WriteRequest, {**FACT, "options": options})
    assert (caught.value.code.label, caught.value.field) == (code, field)
