"""Several memories made one, over every store: planned, applied, taken back, and refused."""

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Caller
from commonplace.runs.queueing import exclusive_lease
from commonplace.runs.staging import run_context
from commonplace.runs.undo import undo_run
from commonplace.use_cases import dispatch
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = Caller("local|ana", NOON)
OF_A_WRITE = {"version", "updated_at"}
CELLO, IN_BONN, PIANO = "I play the cello.", "I play the cello in Bonn.", "I have a piano at home."


def call(opened: OpenStore, tool: str, caller: Caller = ANA, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, caller, replace(opened.ports, night=opened.night))


def stored(opened: OpenStore, text: str, at: int = 0, **labels: Any) -> str:
    caller = replace(ANA, now=NOON - timedelta(days=30 - at))
    memory_id = str(call(opened, "store_memory", caller, content=text).memory_id)
    call(opened, "update_memory", memory_id=memory_id, category="personal_context", **labels)
    return memory_id


def record(opened: OpenStore, memory_id: str) -> Memory:
    (memory,) = opened.ports.records.get(ANA.user_id, [memory_id])
    return memory


def back(opened: OpenStore, run_id: str) -> list[str]:
    context = run_context(ANA, replace(opened.ports, night=opened.night))
    with exclusive_lease(context) as lease:
        run = context.night.runs.get(ANA.user_id, run_id)
        assert run is not None
        return [one.outcome for one in undo_run(run, context, lease).operations]


def test_a_plan_changes_nothing_and_its_id_makes_one_memory_of_all(opened: OpenStore) -> None:
    ids = [
        stored(opened, CELLO, 1, tags=["music"], importance=5), stored(opened, IN_BONN, 2, tags=["bonn", "music"]),
        stored(opened, PIANO, 3, tags=["piano"]),
    ]  # fmt: skip
    before = [record(opened, one).model_dump(exclude=OF_A_WRITE) for one in ids]
    plan = call(opened, "merge_memories", memory_ids=ids[::-1])
    assert (plan.status, plan.memory_id, plan.groups[0].memory_ids) == ("needs_review", None, ids)
    assert plan.groups[0].merged_text == f"{IN_BONN} {PIANO}"
    assert [record(opened, one).status for one in ids] == ["active"] * 3
    assert call(opened, "merge_memories", run_id=plan.run_id).groups == plan.groups
    done = call(opened, "merge_memories", run_id=plan.run_id, dry_run=False)
    new = record(opened, done.memory_id)
    assert (done.status, new.content, new.status) == ("done", f"{IN_BONN} {PIANO}", "active")
    assert (new.tags, new.importance, new.supersedes) == (("music", "bonn", "piano"), 1.0, ids[0])
    assert [(one.status, one.superseded_by) for one in (record(opened, name) for name in ids)] == [
        ("superseded", done.memory_id)
    ] * 3
    assert [hit.id for hit in call(opened, "search_memory", query="cello").results] == [done.memory_id]
    assert set(back(opened, done.run_id)) == {"undone"}
    assert [record(opened, one).model_dump(exclude=OF_A_WRITE) for one in ids] == before
    assert record(opened, done.memory_id).status == "deleted"


def test_what_is_kept_of_each_stands_in_the_one(opened: OpenStore) -> None:
    one, other = stored(opened, CELLO, 1), stored(opened, PIANO, 2)
    late = NOON - timedelta(days=2)
    for name, fields in (
        (one, {"evidence": "I do play", "key": "cello"}),
        (other, {"evidence": "a piano", "event_time": late}),
    ):
        memory = record(opened, name)
        opened.ports.records.update(memory.next_version(NOON, **fields), Audit("correct", NOON, {}))
    done = call(opened, "merge_memories", memory_ids=[one, other], dry_run=False)
    new = record(opened, done.memory_id)
    assert (new.key, new.evidence, new.event_time) == ("cello", "I do play\na piano", late)
    assert set(back(opened, done.run_id)) == {"undone"}
    assert record(opened, one).key == "cello"


@pytest.mark.parametrize(
    ("texts", "labels", "why"),
    [
        ((CELLO, "I don't play the cello."), ({}, {}), "only one can be true"),
        (("My rent is 800 euros.", "My rent is 900 euros."), ({}, {}), "untrue"),
        ((CELLO, PIANO), ({}, {"durability": "daily"}), "durabilities"),
        ((CELLO + " a" * 3_990, PIANO + " b" * 3_900), ({}, {}), "characters"),
    ],
    ids=["negated", "another number", "a note", "too long"],
)
def test_what_can_not_be_one_is_told_and_not_merged(
    opened: OpenStore, texts: tuple[str, str], labels: tuple[dict[str, str], ...], why: str
) -> None:
    ids = [stored(opened, text, at, **label) for at, (text, label) in enumerate(zip(texts, labels, strict=True))]
    told = call(opened, "merge_memories", memory_ids=ids)
    assert why in told.groups[0].refused
    assert told.run_id is None
    with pytest.raises(CommonplaceError) as refused:
        call(opened, "merge_memories", memory_ids=ids, dry_run=False)
    assert (refused.value.code, refused.value.field) == (ErrorCode.NOT_MERGEABLE, "memory_ids")
    assert why in refused.value.message
    assert [record(opened, one).status for one in ids] == ["active", "active"]


def test_two_keys_one_line_of_succession_and_two_headings_are_refused(opened: OpenStore) -> None:
    write: dict[str, Any] = {"category": "preference", "durability": "durable"}
    keyed = [
        call(opened, "write_memory", key=key, value=f"The user has {what}.", **write).memory_id
        for key, what in (("pet", "a grey cat"), ("car", "an old van"))
    ]
    other = stored(opened, CELLO)
    for ids, why in ((keyed, "different keys: car, pet"), ([keyed[0], other], "different sections")):
        assert why in call(opened, "merge_memories", memory_ids=ids).groups[0].refused
    renewed = call(opened, "update_memory", key="pet", value="The user has a black dog.").memory_id
    with pytest.raises(CommonplaceError) as refused:
        call(opened, "merge_memories", memory_ids=[keyed[0], renewed])
    assert refused.value.code is ErrorCode.NOT_FOUND


@pytest.mark.parametrize(
    ("arguments", "field"),
    [
        ({"dry_run": False}, "memory_ids"), ({"memory_ids": ["mem_1"]}, "memory_ids"),
        ({"memory_ids": ["mem_1", "mem_1"]}, "memory_ids"), ({"memory_ids": ["mem_1", "mem_2"], "run_id": "run_1"}, "memory_ids"),
        ({"dry_run": 0}, "dry_run"),
    ],
    ids=str,
)  # fmt: skip
def test_what_is_asked_wrongly_is_refused(opened: OpenStore, arguments: dict[str, Any], field: str) -> None:
    with pytest.raises(CommonplaceError) as refused:
        call(opened, "merge_memories", **arguments)
    assert (refused.value.code.status, refused.value.field) == (400, field)


def test_without_ids_those_that_say_the_same_are_told_and_nothing_is_kept(opened: OpenStore) -> None:
    ids = [stored(opened, text, at) for at, text in enumerate(("I play the cello.", "The user plays the cello.", PIANO))]
    told = call(opened, "merge_memories")
    assert [one.memory_ids for one in told.groups] == [ids[:2]]
    assert (told.run_id, told.groups[0].refused) == (None, None)
    assert opened.night().runs.newest(ANA.user_id, 5) == []


def test_what_was_changed_since_the_plan_stays_and_is_told(opened: OpenStore) -> None:
    ids = [stored(opened, CELLO, 1), stored(opened, PIANO, 2)]
    plan = call(opened, "merge_memories", memory_ids=ids)
    call(opened, "update_memory", memory_id=ids[0], importance=5)
    done = call(opened, "merge_memories", run_id=plan.run_id, dry_run=False)
    assert (done.memory_id, [record(opened, one).status for one in ids]) == (None, ["active", "active"])
    assert "changed meanwhile" in done.groups[0].refused


def test_of_a_model_more_than_a_night_may_replace_waits_for_a_person(opened: OpenStore) -> None:
    model = replace(ANA, admin=False)
    names = ("piano", "violin", "flute", "harp", "oboe", "tuba", "drum", "horn", "lute", "banjo", "viola", "fiddle")
    ids = [stored(opened, f"I heard a {name} once.", at) for at, name in enumerate(names)]
    done = call(opened, "merge_memories", model, memory_ids=ids[:6], dry_run=False)
    assert done.status == "done"
    waits = call(opened, "merge_memories", model, memory_ids=ids[6:], dry_run=False)
    assert (waits.status, waits.memory_id) == ("needs_review", None)
    assert call(opened, "merge_memories", model, run_id=waits.run_id, dry_run=False).status == "needs_review"
    assert call(opened, "merge_memories", run_id=waits.run_id, dry_run=False).status == "done"
