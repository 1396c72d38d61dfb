"""Ids that memories had elsewhere: where they lead, and when they go; over every store."""

from dataclasses import replace
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.domain.ids import new_operation_id
from commonplace.domain.runs import Run, RunKind, RunOperation
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.bundle import Ports
from commonplace.ports.records import Aliases
from commonplace.ports.values import Alias, Caller
from commonplace.runs import undo
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext
from commonplace.runs.queueing import exclusive_lease
from commonplace.runs.staging import change_many
from commonplace.use_cases import dispatch
from commonplace.use_cases.named import naming
from tests.conftest import NOON, refusal
from tests.contract.changes import ANA, BEN, opening
from tests.contract.conftest import Writer

pytestmark = pytest.mark.integration

CALLER = Caller(ANA, NOON)
TEA, COFFEE = "Ana drinks green tea.", "Ana drinks black coffee."


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


@pytest.fixture
def aliases(ports: Ports) -> Aliases:
    return ports.aliases


def context(opened: OpenStore) -> RunContext:
    return RunContext(CALLER, opened.ports, opened.night(), lambda: NOON)


def call(ports: Ports, tool: str, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, CALLER, ports)


def shown(ports: Ports, name: str) -> str:
    return str(call(ports, "get_memory", memory_id=name).memory.value)


def erasable(opened: OpenStore) -> ErasableUser:
    return ErasableUser(context(opened), opened.erasure())


def test_several_lead_to_one_memory_and_a_name_to_the_last_it_was_given(aliases: Aliases) -> None:
    aliases.add(ANA, [Alias("notes/7", "mem_1", "run_1"), Alias("17", "mem_1"), Alias("é ü #", "mem_2")])
    aliases.add(ANA, [Alias("17", "mem_2", withdrawn=False)])
    assert aliases.get(ANA, ["17", "notes/7", "18"]) == {"17": "mem_2", "notes/7": "mem_1"}
    assert list(aliases.all(ANA)) == [Alias("17", "mem_2"), Alias("notes/7", "mem_1", "run_1"), Alias("é ü #", "mem_2")]


def test_a_withdrawn_one_leads_nowhere_and_is_still_there(aliases: Aliases) -> None:
    given = Alias("17", "mem_1", "run_1")
    aliases.add(ANA, [replace(given, withdrawn=True)])
    assert aliases.get(ANA, ["17"]) == {}
    assert list(aliases.all(ANA)) == [replace(given, withdrawn=True)]


def test_there_may_be_more_than_a_transaction_holds(aliases: Aliases) -> None:
    many = [Alias(f"notes/{number:04}", f"mem_{number}") for number in range(230)]
    aliases.add(ANA, many)
    assert list(aliases.all(ANA)) == many
    assert len(aliases.get(ANA, [one.name for one in many])) == 230


def test_they_are_each_users_own(aliases: Aliases) -> None:
    aliases.add(ANA, [Alias("17", "mem_1")])
    aliases.add(BEN, [Alias("17", "mem_2")])
    assert (aliases.get(ANA, ["17"]), aliases.get(BEN, ["17"])) == ({"17": "mem_1"}, {"17": "mem_2"})
    assert aliases.get("local|nobody", ["17"]) == {}


@pytest.mark.parametrize("name", ["17", "notes/7", "mem_12345", "Ünïcode id"])
def test_every_tool_that_takes_an_id_takes_one_from_elsewhere(ports: Ports, name: str) -> None:
    tea = call(ports, "store_memory", content=TEA).memory_id
    ports.aliases.add(ANA, [Alias(name, tea)])
    assert shown(ports, name) == TEA
    assert call(ports, "history", memory_id=name).values[0].memory_id == tea
    assert call(ports, "update_memory", memory_id=name, importance=5).memory_id == tea
    done = call(ports, "store_memory", content=COFFEE, context={"supersedes": [name]})
    assert shown(ports, name) == COFFEE
    insight = call(ports, "memory_store", id=name, content="Ana drinks nothing.", metadata={"type": "fact"})
    assert shown(ports, name) == "Ana drinks nothing."
    assert insight.id == name
    own, *before = [one.memory_id for one in call(ports, "history", memory_id=name).values]
    assert before == [done.memory_id, tea]
    assert call(ports, "delete_memory", memory_id=name).memory_id == own
    gone = refusal(lambda: shown(ports, name))
    assert gone.code is ErrorCode.NOT_FOUND
    assert f"{own} was deleted" in gone.message


def test_an_own_id_and_a_key_come_before_one_from_elsewhere(ports: Ports) -> None:
    tea = call(ports, "store_memory", content=TEA).memory_id
    written = {"key": "drink", "value": COFFEE, "category": "preference", "durability": "durable"}
    coffee = call(ports, "write_memory", **written).memory_id
    ports.aliases.add(ANA, [Alias(tea, coffee), Alias("drink", tea), Alias("Tea-1", tea)])
    assert shown(ports, tea) == TEA
    assert naming("Drink", CALLER, ports) == {"key": "Drink"}
    assert naming("Tea-1", CALLER, ports) == {"memory_id": "Tea-1"}
    assert naming("neither", CALLER, ports) == {"key": "neither"}
    assert [naming(name, CALLER, ports) for name in ("", "\ud800", "x" * 3_000)] == [
        {"key": ""}, {"key": "\ud800"}, {"key": "x" * 3_000}
    ]  # fmt: skip
    call(ports, "delete_memory", key="drink")
    assert naming("drink", CALLER, ports) == {"memory_id": "drink"}


def test_they_follow_an_undo(opened: OpenStore) -> None:
    ports = opened.ports
    tea = call(ports, "store_memory", content=TEA).memory_id
    ports.aliases.add(ANA, [Alias("17", tea)])
    changed = call(ports, "update_memory", memory_id="17", value=COFFEE)
    assert shown(ports, "17") == COFFEE
    with exclusive_lease(context(opened)) as lease:
        undo.undo_operation(changed.operation_id, context(opened), lease)
    assert shown(ports, "17") == TEA


def test_they_go_with_an_erased_memory_and_a_user_who_leaves(opened: OpenStore) -> None:
    ports = opened.ports
    tea, coffee = (call(ports, "store_memory", content=text).memory_id for text in (TEA, COFFEE))
    ports.aliases.add(ANA, [Alias("17", tea), Alias("18", coffee)])
    ports.aliases.add(BEN, [Alias("17", "mem_2")])
    assert erasable(opened).erase_memory("17").ids == (tea,)
    assert list(ports.aliases.all(ANA)) == [Alias("18", coffee)]
    erasable(opened).erase()
    assert list(ports.aliases.all(ANA)) == []
    assert list(ports.aliases.all(BEN)) == [Alias("17", "mem_2")]


def moved_in(opened: OpenStore, writer: Writer, kind: RunKind = "migration") -> Run:
    """A run that adds a memory under two names, and gives a third one to a memory that was there."""
    there = call(opened.ports, "store_memory", content=COFFEE).memory_id
    new = opening(writer, TEA)

    def planned(name: str, memory_id: str, change: PlannedChange | None, *names: str) -> PlannedOperation:
        what = "ADD" if change else "NOOP"
        told = RunOperation(operation_id=name, kind=what, outcome="planned", memory_id=memory_id, why="moves in")
        return PlannedOperation(told=told, at=NOON, opens=change, aliases=names)

    operations = (
        planned(new_operation_id(NOON), new.memory.memory_id, PlannedChange.of(new), "17", "notes/7"),
        planned(new_operation_id(NOON), there, None, "18"),
    )
    return change_many(kind, lambda _: Plan(operations=operations), context(opened), dry_run=False).run


def undone(opened: OpenStore, run: Run) -> Run:
    with exclusive_lease(context(opened)) as lease:
        return undo.undo_run(run, context(opened), lease)


def led_to(ports: Ports) -> list[str | None]:
    """What each of the three names shows; None where it is unknown."""
    said: list[str | None] = []
    for name in ("17", "notes/7", "18"):
        status, body = dispatch.answer("get_memory", {"memory_id": name}, CALLER, ports)
        assert status in (200, 404)
        said.append(body["memory"]["value"] if status == 200 else None)
    return said


def test_a_run_gives_them_and_its_undo_takes_them_back(opened: OpenStore, writer: Writer) -> None:
    run = moved_in(opened, writer)
    assert led_to(opened.ports) == [TEA, TEA, COFFEE]
    back = undone(opened, run)
    assert led_to(opened.ports) == [None, None, None]
    undone(opened, back)
    assert led_to(opened.ports) == [TEA, TEA, COFFEE]


def test_those_of_a_memory_that_an_undo_keeps_stay(opened: OpenStore, writer: Writer) -> None:
    run = moved_in(opened, writer)
    call(opened.ports, "update_memory", memory_id="17", importance=5)
    undone(opened, run)
    assert led_to(opened.ports) == [TEA, TEA, None]
