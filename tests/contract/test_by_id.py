"""Memories named by their ids, over every store: listed, corrected, taken back and erased, and how many a model deletes."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import DEFAULT_COLLECTION
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Caller
from commonplace.runs import undo
from commonplace.runs.apply import RunContext
from commonplace.runs.queueing import exclusive_lease
from commonplace.use_cases import dispatch
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = Caller("local|ana", NOON)
AGENT = replace(ANA, admin=False)
TEA = "Ana drinks green tea every morning."
OF_A_WRITE = {"version", "updated_at"}


def call(opened: OpenStore, tool: str, caller: Caller = ANA, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, caller, opened.ports)


def written(opened: OpenStore, count: int) -> list[str]:
    """The ids of so many memories."""
    facts: list[dict[str, Any]] = [
        {"key": f"bird{number}", "value": f"Ana saw bird {number}.", "category": "preference", "durability": "durable"}
        for number in range(count)
    ]
    return [call(opened, "write_memory", **one, allow_similar=True).memory_id for one in facts]


def after(caller: Caller, minutes: int) -> Caller:
    return replace(caller, now=caller.now + timedelta(minutes=minutes))


def refused(opened: OpenStore, caller: Caller, tool: str, **arguments: Any) -> CommonplaceError:
    with pytest.raises(CommonplaceError) as caught:
        call(opened, tool, caller, **arguments)
    return caught.value


def context(opened: OpenStore) -> RunContext:
    return RunContext(ANA, opened.ports, opened.night(), lambda: NOON)


def taken_back(opened: OpenStore, operation_id: str) -> list[str]:
    with exclusive_lease(context(opened)) as lease:
        return [one.outcome for one in undo.undo_operation(operation_id, context(opened), lease).operations]


def record(opened: OpenStore, memory_id: str) -> dict[str, Any]:
    (memory,) = opened.ports.records.get(ANA.user_id, [memory_id])
    return memory.model_dump(exclude=OF_A_WRITE)


def test_a_list_shows_each_write_at_once_and_goes_on_behind_its_cursor(opened: OpenStore) -> None:
    ids = [call(opened, "store_memory", content=f"Ana saw bird number {number}.").memory_id for number in range(3)]
    first = call(opened, "list_memories", limit=2)
    assert [one.memory_id for one in first.memories] == ids[:0:-1]
    last = call(opened, "list_memories", limit=2, cursor=first.cursor)
    assert ([one.memory_id for one in last.memories], last.cursor) == (ids[:1], None)
    call(opened, "delete_memory", memory_id=ids[1])
    assert [one.memory_id for one in call(opened, "list_memories").memories] == [ids[2], ids[0]]


@pytest.mark.parametrize(
    "labels",
    [
        {"tags": ["green-tea", "habits"]}, {"type": "value"}, {"importance": 5}, {"filed_under": "projects"},
        {"category": "work_context"}, {"expires_at": "2026-06-01T00:00:00Z"},
        {"tags": [], "importance": 1, "durability": "daily"},
    ],
    ids=str,
)  # fmt: skip
def test_a_correction_is_the_next_version_and_can_be_taken_back(opened: OpenStore, labels: dict[str, Any]) -> None:
    tea = call(opened, "store_memory", content=TEA, context={"force_importance": 3}).memory_id
    before = record(opened, tea)
    done = call(opened, "update_memory", memory_id=tea, **labels)
    after = record(opened, tea)
    assert (done.memory_id, after != before) == (tea, True)
    (stored,), _ = opened.ports.records.newest(ANA.user_id, 5)
    assert stored.vector is not None  # it stays while the words do
    assert taken_back(opened, done.operation_id) == ["undone"]
    assert record(opened, tea) == before


def test_a_store_in_the_place_of_others_closes_them_and_its_undo_opens_them_again(opened: OpenStore) -> None:
    tea = call(opened, "store_memory", content=TEA).memory_id
    keyed = call(
        opened, "write_memory", key="drink", value="Ana's drink is tea.", category="preference", durability="durable"
    ).memory_id
    before = {one: record(opened, one) for one in (tea, keyed)}
    done = call(opened, "store_memory", content="Ana gave up tea.", context={"supersedes": [keyed, tea, keyed]})
    closed = {one: record(opened, one) for one in (tea, keyed)}
    assert {(one["status"], one["superseded_by"]) for one in closed.values()} == {("superseded", done.memory_id)}
    assert record(opened, done.memory_id)["supersedes"] == keyed
    assert [one.memory_id for one in call(opened, "list_memories").memories] == [done.memory_id]
    assert opened.ports.operations.holder(ANA.user_id, DEFAULT_COLLECTION, "drink", NOON) is None
    assert set(taken_back(opened, done.operation_id)) == {"undone"}
    assert {one: record(opened, one) for one in (tea, keyed)} == before
    holder = opened.ports.operations.holder(ANA.user_id, DEFAULT_COLLECTION, "drink", NOON)
    assert holder is not None
    assert holder.memory_id == keyed


def test_a_store_in_the_place_of_what_is_closed_or_unknown_writes_nothing(opened: OpenStore) -> None:
    tea = call(opened, "store_memory", content=TEA).memory_id
    oolong = call(opened, "store_memory", content="Ana drinks oolong.", context={"supersedes": [tea]}).memory_id
    for wrong in (tea, "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"):
        with pytest.raises(CommonplaceError) as refused:
            call(opened, "store_memory", content="Ana drinks milk.", context={"supersedes": [oolong, wrong]})
        assert (refused.value.code, refused.value.field) == (ErrorCode.NOT_FOUND, "context.supersedes")
    assert [one.memory_id for one in call(opened, "list_memories").memories] == [oolong]


def test_a_memory_with_its_history_is_erased_from_all_that_is_kept(opened: OpenStore) -> None:
    first = call(opened, "write_memory", key="tea", value=TEA, category="preference", durability="durable").memory_id
    second = call(opened, "update_memory", memory_id=first, value="Ana drinks oolong.").memory_id
    corrected = call(opened, "update_memory", memory_id=second, tags=["klezmer"]).operation_id
    call(opened, "store_memory", content="Ana lives in Vienna.")
    assert call(opened, "search_memory", query="oolong", options={"min_relevance": 0.0}).results
    erasable = ErasableUser(context(opened), opened.erasure())
    assert [memory.memory_id for memory in erasable.scope(first).memories] == [second, first]
    assert erasable.erase_memory(first).ids == (second, first)
    records = opened.ports.records
    told = [str(record(opened, one)) + str(records.audits(ANA.user_id, one)) for one in (first, second)]
    assert not [word for word in ("tea", "oolong", "klezmer") for text in told if word in text.lower()]
    assert [one.value for one in call(opened, "list_memories").memories] == ["Ana lives in Vienna."]
    assert opened.ports.facts.tags(ANA.user_id).keys().isdisjoint({"klezmer", "oolong"})
    assert taken_back(opened, corrected) == ["kept"]
    assert call(opened, "write_memory", key="tea", value=TEA, category="preference", durability="durable").written


def test_a_model_deletes_twenty_memories_an_hour_and_a_person_more(opened: OpenStore) -> None:
    ids = written(opened, 24)
    call(opened, "delete_memory", memory_id=ids[0])  # a person's: it does not count
    done = [call(opened, "delete_memory", AGENT, memory_id=one).operation_id for one in ids[1:21]]
    error = refused(opened, AGENT, "delete_memory", memory_id=ids[21])
    assert (error.code, error.code.status) == (ErrorCode.TOO_MANY_REQUESTS, 429)
    assert f"commonplace delete {ids[21]}" in error.message
    again = call(opened, "update_memory", AGENT, memory_id=ids[21], value="Ana saw no bird.").memory_id  # no deletion
    call(opened, "delete_memory", memory_id=ids[22])
    assert refused(opened, after(AGENT, 59), "delete_memory", memory_id=ids[23]).code is ErrorCode.TOO_MANY_REQUESTS
    assert taken_back(opened, done[3]) == ["undone"]  # which makes room
    call(opened, "delete_memory", AGENT, memory_id=ids[23])
    assert refused(opened, AGENT, "delete_memory", memory_id=again).code is ErrorCode.TOO_MANY_REQUESTS
    call(opened, "delete_memory", after(AGENT, 61), memory_id=again)


def test_what_a_model_supersedes_beyond_one_memory_counts_as_deleted(opened: OpenStore) -> None:
    ids = written(opened, 34)

    def storing(number: int, *old: str) -> dict[str, Any]:
        return {"content": f"Ana saw all birds, {number} times.", "context": {"supersedes": list(old)}}

    call(opened, "store_memory", AGENT, **storing(1, *ids[:10]))  # nine beyond the first
    for number in range(10, 14):  # one value for another, as often as there are new ones
        call(opened, "store_memory", AGENT, **storing(number, ids[number]))
    for one in ids[14:24]:
        call(opened, "delete_memory", AGENT, memory_id=one)
    error = refused(opened, AGENT, "store_memory", **storing(2, *ids[24:27]))
    assert error.code is ErrorCode.TOO_MANY_REQUESTS
    assert f"commonplace delete {ids[25]}" in error.message
    assert record(opened, ids[24])["status"] == "active"
    call(opened, "store_memory", AGENT, **storing(3, *ids[24:26]))
    call(opened, "store_memory", **storing(4, *ids[26:34]))  # a person's


@pytest.mark.meaning
def test_what_a_model_merges_away_counts_from_when_it_is_merged(opened: OpenStore) -> None:
    ids = [call(opened, "store_memory", content=text).memory_id for text in ("I play the cello.", "I do play the cello.")]
    staged = call(opened, "merge_memories", AGENT, memory_ids=ids).run_id
    others = written(opened, 38)
    for one in others[:19]:
        call(opened, "delete_memory", after(AGENT, 90), memory_id=one)
    error = refused(opened, after(AGENT, 90), "merge_memories", run_id=staged, dry_run=False)
    assert error.code is ErrorCode.TOO_MANY_REQUESTS
    assert f"commonplace runs approve {staged}" in error.message
    merged = call(opened, "merge_memories", after(AGENT, 200), run_id=staged, dry_run=False)  # long after it was planned
    assert merged.status == "done"
    for one in others[19:37]:
        call(opened, "delete_memory", after(AGENT, 210), memory_id=one)
    assert refused(opened, after(AGENT, 210), "delete_memory", memory_id=others[37]).code is ErrorCode.TOO_MANY_REQUESTS
