"""Memories named by their ids: shown, listed, changed, corrected and deleted, with or without a key."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from commonplace.interfaces import nightly_routes
from commonplace.ports.values import Alias
from tests.conftest import NOON, found, refusal

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

TEA, COFFEE = "Ana drinks green tea every morning.", "Ana drinks black coffee every morning."


def kept(memory: Commonplace, memory_id: str) -> dict[str, Any]:
    return next(one for one in memory.export() if one["memory_id"] == memory_id)


def test_a_memory_is_shown_by_its_id_and_by_its_key(memory: Commonplace) -> None:
    stored = memory.store_memory("My daughter Mia is allergic to peanuts.", context={"user_note": "told at lunch"})
    one = memory.get_memory(stored.memory_id).memory
    assert (one.value, one.user_note, one.key) == ("My daughter Mia is allergic to peanuts.", "told at lunch", None)
    found_out = stored.analysis
    assert (one.type, one.filed_under, one.importance, one.tags) == (
        found_out.detected_type, found_out.detected_category, found_out.importance_score, found_out.generated_tags,
    )  # fmt: skip
    written = memory.write_memory("drink", TEA, "preference", "durable")
    assert memory.get_memory(key="Drink").memory == memory.get_memory(written.memory_id).memory


def test_the_way_in_for_people_takes_an_id_a_key_or_an_id_from_elsewhere(memory: Commonplace) -> None:
    tea = memory.write_memory("drink", TEA, "preference").memory_id
    assert tea is not None
    memory._local.ports.aliases.add("local|ana", [Alias("notes/7", tea), Alias("Tea", tea)])
    named = [memory.get(name).memory_id for name in (tea, "Drink", "notes/7", "Tea")]
    routed = [
        nightly_routes.answer("GET", f"/memories/{name}", {}, dict, memory.nights())["memory"]["memory_id"]
        for name in (tea, "Drink", "notes/7", "Tea")
    ]
    assert named == routed == [tea] * 4
    assert [memory.nights().history(name).values[0].memory_id for name in ("Drink", "notes/7")] == [tea] * 2
    assert refusal(lambda: memory.get("notes/8")).code is ErrorCode.INVALID_ARGUMENT
    assert refusal(lambda: memory.get("nothing")).code is ErrorCode.KEY_NOT_FOUND


@pytest.mark.parametrize("tool", ["get_memory", "update_memory", "delete_memory", "history"])
@pytest.mark.parametrize(
    ("name", "code", "status"),
    [
        ({}, "missing_field", 400), ({"memory_id": "mem_1", "key": "drink"}, "invalid_argument", 400),
        ({"memory_id": "mem_01M7Y9WZRKKCZMXKBZPYYE31X7"}, "not_found", 404), ({"memory_id": "what's this?"}, "not_found", 404),
        ({"memory_id": ""}, "invalid_argument", 400),
    ],
)  # fmt: skip
def test_exactly_one_name_is_wanted_and_must_be_known(
    memory: Commonplace, tool: str, name: dict[str, str], code: str, status: int
) -> None:
    memory.write_memory("drink", TEA, "preference", "durable")
    value = {"value": COFFEE} if tool == "update_memory" else {}
    answered, body = memory.answer(tool, {**name, **value})
    assert (answered, body["error"]["code"], body["error"]["field"]) == (status, code, "memory_id")


def test_an_update_by_id_supersedes_a_memory_without_a_key(memory: Commonplace) -> None:
    first = memory.memory_store(TEA, {"type": "preference", "user": "ana"}, collection="work").id
    done = memory.update_memory(memory_id=first, value=COFFEE)
    new = kept(memory, done.memory_id)
    assert (new["collection"], new["subject"], new["key"], new["supersedes"]) == ("work", "ana", None, first)
    assert kept(memory, first)["superseded_by"] == done.memory_id
    assert found(memory, "what does Ana drink") == [COFFEE]
    memory.undo(done.operation_id)
    assert found(memory, "what does Ana drink") == [TEA]


def test_an_update_by_id_keeps_the_key(memory: Commonplace) -> None:
    first = memory.write_memory("drink", TEA, "preference", "durable").memory_id
    done = memory.update_memory(memory_id=first, value=COFFEE, importance=5, tags=["Black Coffee"])
    one = memory.get_memory(key="drink").memory
    assert (one.memory_id, one.value, one.importance, one.tags) == (done.memory_id, COFFEE, 5, ["black-coffee"])
    assert one.previous_id == first


def test_a_key_names_a_secret_also_where_the_memory_is_named_by_its_id(memory: Commonplace) -> None:
    first = memory.write_memory("gate_code", "The gate code hangs beside the door.", "personal_context", "durable").memory_id
    error = refusal(lambda: memory.update_memory(memory_id=first, value="4471"))
    assert (error.code, error.field) == (ErrorCode.SECRET_ONLY, "value")
    assert memory.get_memory(first).memory.value == "The gate code hangs beside the door."


def test_of_a_closed_memory_the_error_names_the_successor_and_history_leads_on(memory: Commonplace) -> None:
    first = memory.store_memory(TEA).memory_id
    second = memory.update_memory(memory_id=first, value=COFFEE).memory_id
    third = memory.update_memory(memory_id=second, value="Ana drinks water.").memory_id
    calls: list[Callable[[], object]] = [
        lambda: memory.get_memory(first), lambda: memory.delete_memory(memory_id=first),
        lambda: memory.update_memory(memory_id=first, value=TEA), lambda: memory.update_memory(memory_id=second, importance=1),
    ]  # fmt: skip
    for call in calls:
        error = refusal(call)
        assert (error.code, error.field) == (ErrorCode.NOT_FOUND, "memory_id")
        assert f"was replaced by {third}; use that id" in error.message
    for memory_id in (first, second, third):
        told = memory.history(memory_id=memory_id)
        assert (told.key, [value.memory_id for value in told.values]) == (None, [third, second, first])
    memory.delete_memory(memory_id=third)
    assert f"by {third}, which was deleted" in refusal(lambda: memory.get_memory(second)).message
    assert "was deleted" in refusal(lambda: memory.get_memory(third)).message
    assert [value.status for value in memory.history(memory_id=third).values] == ["deleted", "superseded", "superseded"]


def test_the_history_of_an_id_tells_the_key_and_nothing_of_other_memories(memory: Commonplace) -> None:
    first = memory.write_memory("drink", TEA, "preference", "durable").memory_id
    memory.delete_memory("drink")
    second = memory.write_memory("drink", COFFEE, "preference", "durable").memory_id
    told = memory.history(memory_id=second)
    assert (told.key, [value.memory_id for value in told.values]) == ("drink", [second])
    assert [value.memory_id for value in memory.history("drink").values] == [second, first]


def test_a_delete_by_id_can_be_undone(memory: Commonplace) -> None:
    first = memory.store_memory(TEA).memory_id
    done = memory.delete_memory(memory_id=first)
    assert first in done.message
    assert found(memory, "what does Ana drink") == []
    memory.undo(done.operation_id)
    assert found(memory, "what does Ana drink") == [TEA]


def test_another_agents_memory_is_as_if_it_were_not_there(open_memory: Opener) -> None:
    first = open_memory(agent_id="coach").store_memory(TEA).memory_id
    other = open_memory(agent_id="cook")
    assert other.list_memories().memories == []
    calls: list[Callable[[], object]] = [
        lambda: other.get_memory(first), lambda: other.update_memory(memory_id=first, importance=1),
        lambda: other.delete_memory(memory_id=first), lambda: other.history(memory_id=first),
    ]  # fmt: skip
    assert {refusal(call).message for call in calls} == {"memory_id: no memory has this id"}


def test_the_list_goes_on_behind_its_cursor(open_memory: Opener) -> None:
    clock = [NOON]
    memory = open_memory(now=lambda: clock[0])
    for number in range(5):
        clock[0] += timedelta(minutes=1)
        memory.store_memory(f"Ana has seen bird number {number} of the zoo.")
    first = memory.list_memories(limit=2)
    assert [one.value[-13:] for one in first.memories] == ["4 of the zoo.", "3 of the zoo."]
    assert first.cursor is not None
    last = memory.list_memories(limit=3, cursor=first.cursor)
    assert ([one.value[-13:-11] for one in last.memories], last.cursor) == (["2 ", "1 ", "0 "], None)
    assert "cursor" not in last.model_dump()


def test_a_list_is_filtered_as_a_search_is(open_memory: Opener) -> None:
    memory = open_memory()
    memory.store_memory(TEA, context={"force_category": "contexts", "force_importance": 2})
    memory.store_memory("The staging database moves.", context={"force_category": "projects", "force_importance": 4})
    memory.store_memory("Buy a voucher.", context={"expires_at": (NOON + timedelta(hours=1)).isoformat()})
    late = open_memory(now=lambda: NOON + timedelta(days=1))

    def listed(**how: Any) -> set[str]:
        return {one.value for one in late.list_memories(**how).memories}

    assert listed() == {TEA, "The staging database moves."}
    assert listed(options={"include_expired": True}) == {TEA, "The staging database moves.", "Buy a voucher."}
    assert listed(category="projects") == listed(options={"importance_min": 3}) == {"The staging database moves."}
    assert listed(options={"time_range": {"after": (NOON + timedelta(minutes=1)).isoformat()}}) == set()
    assert refusal(lambda: listed(cursor="what's this?")).field == "cursor"


def test_an_imported_conversation_is_listed_in_its_order(memory: Commonplace) -> None:
    turns = [{"session_id": "s", "position": at, "speaker": "user", "text": f"Ana saw bird number {at}."} for at in range(12)]
    memory.import_turns(turns)
    listed = [one.value for one in memory.list_memories().memories]
    assert listed == [f"Ana saw bird number {at}." for at in reversed(range(12))]


def test_what_is_over_can_be_named_and_get_more_time(open_memory: Opener) -> None:
    first = open_memory().store_memory("Buy a voucher.", context={"expires_at": NOON + timedelta(hours=1)}).memory_id
    late = open_memory(now=lambda: NOON + timedelta(days=1))
    assert late.get_memory(first).memory.expires_at == NOON + timedelta(hours=1)
    late.update_memory(memory_id=first, durability="durable")
    assert found(late, "voucher") == ["Buy a voucher."]
    one = kept(late, first)
    assert (one["durability"], one["expires_at"], one["purge_at"]) == ("durable", None, None)
