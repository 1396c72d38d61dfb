"""The tools by key, over every store: the same answers, and each write found by the next read."""

from datetime import timedelta
from typing import Any

import jsonschema
import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.contract.manifest import row
from commonplace.contract.registry import tool_named
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.values import Caller
from commonplace.use_cases import dispatch
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA, BEN = Caller("local|ana", NOON), Caller("local|ben", NOON)
FACT: dict[str, Any] = {
    "key": "role",
    "value": "The user works as a data engineer at Acme.",
    "category": "work_context",
    "durability": "durable",
}


def call(opened: OpenStore, tool: str, caller: Caller = ANA, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, caller, opened.ports)


def values(opened: OpenStore, caller: Caller = ANA) -> list[str]:
    return [entry.value for entry in call(opened, "read_memory", caller, category="work_context").entries]


def test_what_is_written_is_read_changed_and_deleted_by_its_key(opened: OpenStore) -> None:
    first = call(opened, "write_memory", **FACT)
    assert values(opened) == [FACT["value"]]
    lead = "The user works as a team lead at Acme."
    changed = call(opened, "update_memory", key="role", value=lead)
    assert (changed.previous_id, values(opened)) == (first.memory_id, [lead])
    assert lead in call(opened, "get_memory_context", topic="what does the user do at Acme?").context
    gone = call(opened, "delete_memory", key="role")
    assert (gone.memory_id, values(opened)) == (changed.memory_id, [])
    assert call(opened, "write_memory", **FACT).written


@pytest.mark.parametrize("again", [{**FACT, "value": "The user is a pilot."}, {**FACT, "key": "job"}], ids=["key", "text"])
def test_what_is_there_is_shown_instead_of_written(opened: OpenStore, again: dict[str, Any]) -> None:
    first = call(opened, "write_memory", **FACT)
    answer = call(opened, "write_memory", **again)
    assert (answer.written, [one.memory_id for one in answer.existing]) == (False, [first.memory_id])
    assert values(opened) == [FACT["value"]]


def test_every_answer_is_what_its_schema_promises(opened: OpenStore) -> None:
    calls: list[tuple[str, dict[str, Any]]] = [
        ("write_memory", FACT), ("write_memory", FACT), ("read_memory", {"category": "work_context"}),
        ("update_memory", {"key": "role", "value": "The user is a pilot."}), ("get_memory_context", {"topic": "work"}),
        ("summarize_memory", {"query": "pilot"}), ("delete_memory", {"key": "role"}), ("get_memory_context", {"topic": "work"}),
    ]  # fmt: skip
    for tool, arguments in calls:
        answer = call(opened, tool, **arguments).model_dump(mode="json")
        schema: Any = row(tool_named(tool))["output_schema"]
        jsonschema.validate(answer, schema)
        assert answer["message"]


def test_a_key_is_its_users_own(opened: OpenStore) -> None:
    call(opened, "write_memory", **FACT)
    assert call(opened, "write_memory", BEN, **FACT).written
    call(opened, "delete_memory", BEN, key="role")
    assert (values(opened), values(opened, BEN)) == ([FACT["value"]], [])


def test_an_unknown_key_tells_the_nearest(opened: OpenStore) -> None:
    call(opened, "write_memory", **FACT)
    with pytest.raises(CommonplaceError) as caught:
        call(opened, "delete_memory", key="rolle")
    assert caught.value.code is ErrorCode.KEY_NOT_FOUND
    assert "the nearest keys are role" in caught.value.message


@pytest.mark.parametrize("key", ["role", "roles"])
def test_a_key_that_cannot_be_used_is_offered_to_nobody(opened: OpenStore, key: str) -> None:
    coach, later = Caller("local|ana", NOON, "coach"), Caller("local|ana", NOON + timedelta(days=91))
    call(opened, "write_memory", coach, **FACT)
    call(opened, "write_memory", **{**FACT, "key": "rule", "value": "The user naps at noon.", "durability": "daily"})
    for caller, told in ((ANA, "the nearest keys are rule"), (later, "no key is like it")):
        with pytest.raises(CommonplaceError) as caught:
            call(opened, "delete_memory", caller, key=key)
        assert caught.value.message == f"key: no memory has the key {key}; {told}"


def test_an_update_to_what_another_memory_says_is_refused_by_its_field(opened: OpenStore) -> None:
    call(opened, "write_memory", **FACT)
    call(opened, "write_memory", **{**FACT, "key": "tea", "value": "The user drinks tea at work."})
    with pytest.raises(CommonplaceError) as caught:
        call(opened, "update_memory", key="tea", value=FACT["value"])
    assert (caught.value.code, caught.value.field) == (ErrorCode.INVALID_ARGUMENT, "value")
