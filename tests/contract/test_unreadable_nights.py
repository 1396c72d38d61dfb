"""What a night keeps and can't be read any more: an interaction, a run, a plan, an operation. Each stops only itself."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from commonplace.adapters.folder import FolderPages
from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError
from commonplace.domain.interactions import INTERACTION, Interaction
from commonplace.extraction.candidate import Reading
from commonplace.nightly.service import Nights
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Caller
from commonplace.runs.apply import RunContext
from tests.conftest import NOON
from tests.contract.changes import ANA, operation
from tests.contract.changes import closing as closed
from tests.contract.conftest import Writer
from tests.contract.damage import Damage, damage_of
from tests.contract.test_runs import lease, run_of

WORD = "zanzibar"
DamageRow = Callable[[str, str], None]
_COLUMNS = {
    "interaction": ("interactions", "interaction", "interaction_id"),
    "run": ("runs", "run", "run_id"),
    "part": ("run_parts", "body", "run_id"),
    "operation": ("operations", "made", "operation_id"),
}
_ATTRIBUTES = {"interaction": "body", "run": "body", "part": "body", "operation": "told"}


@pytest.fixture
def damage_row(request: pytest.FixtureRequest, opened: OpenStore, tmp_path: Path) -> DamageRow:
    """Puts what is no JSON into a row of a kind, whose name begins so."""
    assert opened
    broken = f'{{"text": "{WORD}'
    if request.node.callspec.params["opened"] != "dynamodb":

        def in_file(kind: str, name: str) -> None:
            table, column, key = _COLUMNS[kind]
            with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None, timeout=60)) as connection:
                done = connection.execute(
                    f"UPDATE {table} SET {column} = ? WHERE {key} = ?", (broken, name.partition("#")[0])
                )
                assert done.rowcount == 1

        return in_file
    client, table_name = request.getfixturevalue("dynamodb_client"), request.getfixturevalue("table_name")

    def in_table(kind: str, name: str) -> None:
        key: Any = {"user": {"S": ANA}, "item": {"S": f"{kind}#{name}"}}
        value = {"S": broken} if kind == "operation" else {"B": broken.encode()}
        client.update_item(
            TableName=table_name, Key=key, UpdateExpression="SET #b = :b", ConditionExpression="attribute_exists(#b)",
            ExpressionAttributeNames={"#b": _ATTRIBUTES[kind]}, ExpressionAttributeValues={":b": value},
        )  # fmt: skip

    return in_table


@pytest.fixture
def damage(request: pytest.FixtureRequest, opened: OpenStore, tmp_path: Path) -> Damage:
    assert opened
    return damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")


def wish(name: str) -> Interaction:
    return INTERACTION.validate_python({"id": name, "type": "explicit", "time": NOON, "text": f"Remember {WORD}."})


def nights(opened: OpenStore, night: NightPorts | None = None) -> Nights:
    context = RunContext(Caller(ANA, NOON), opened.ports, night or opened.night(), lambda: NOON)
    return Nights(context, lambda *_: Reading(()))


def test_an_interaction_is_given_up_and_named_and_the_others_are_read(
    opened: OpenStore, night: NightPorts, damage_row: DamageRow, caplog: pytest.LogCaptureFixture
) -> None:
    night.ledger.record(ANA, [wish("one"), wish("two")], NOON)
    damage_row("interaction", "one")
    (run,) = nights(opened).nightly("rules")
    assert (run.status, set(run.interactions)) == ("done", {"one", "two"})
    assert [note for note in run.notes if "can't be read" in note and "one" in note]
    assert {one.interaction_id: one.state for one in night.ledger.entries(ANA, ["one", "two"])} == {
        "one": "failed",
        "two": "read",
    }
    assert list(nights(opened).nightly("rules")) == []
    assert nights(opened).run("last").notes == run.notes
    assert WORD not in caplog.text


def test_a_run_is_left_out_of_the_list_and_holds_up_no_night(
    opened: OpenStore, night: NightPorts, damage_row: DamageRow
) -> None:
    fence = lease(night)
    night.runs.save(run_of(1, status="done"), fence)
    night.runs.save(run_of(2), fence)  # it is at work
    night.leases.release(fence)
    damage_row("run", run_of(2).run_id)
    assert [run.run_id for run in night.runs.newest(ANA, 10)] == [run_of(1).run_id]
    assert night.runs.get(ANA, run_of(2).run_id) is None
    assert night.runs.unfinished(ANA) is None
    night.ledger.record(ANA, [wish("one")], NOON)
    (run,) = nights(opened).nightly("rules")
    assert run.status == "done"


def test_a_run_whose_plan_is_damaged_is_closed_and_says_so(
    opened: OpenStore, night: NightPorts, damage_row: DamageRow
) -> None:
    fence, run = lease(night), run_of(kind="undo")
    night.runs.save(run, fence)
    night.parts.save_part(run, "plan", "{}", fence)
    night.leases.release(fence)
    damage_row("part", f"{run.run_id}#plan")
    (finished,) = nights(opened).nightly("rules")
    assert (finished.run_id, finished.status) == (run.run_id, "failed")
    assert finished.error == "its plan can't be read; applied operations stay, and the rest was not done"


def test_a_day_whose_plan_is_damaged_is_left_for_another_run(
    opened: OpenStore, night: NightPorts, damage_row: DamageRow
) -> None:
    night.ledger.record(ANA, [wish("one")], NOON)
    fence, run = lease(night), run_of(interactions=("one",), mode="rules")
    night.runs.save(run, fence)
    night.parts.save_part(run, f"plan/{NOON.date()}", "{}", fence)
    night.leases.release(fence)
    damage_row("part", f"{run.run_id}#plan/{NOON.date()}")
    (finished,) = [one for one in nights(opened).nightly("rules") if one.run_id == run.run_id]
    assert (finished.status, finished.unread) == ("failed", ("one",))


def test_an_operation_can_t_be_taken_back_and_the_one_before_it_can(
    opened: OpenStore, damage_row: DamageRow, caplog: pytest.LogCaptureFixture
) -> None:
    writer, operations = Writer(opened.ports), opened.ports.operations
    for number, text in enumerate(("tea", "coffee"), 1):
        assert operations.apply(operation(closed(writer.write(text)), number=number))
    damage_row("operation", "op_2")
    assert operations.applied(ANA, "op_2") is None
    newest = operations.newest(ANA)
    assert newest is not None
    assert newest.operation_id == "op_1"
    with pytest.raises(CommonplaceError, match="operation"):
        nights(opened).undo("op_2")
    assert WORD not in caplog.text


def test_a_night_and_an_undo_name_the_memories_that_they_could_not_read(opened: OpenStore, damage: Damage) -> None:
    writer = Writer(opened.ports)
    kept, other = writer.write(f"I fly to {WORD}."), writer.write("I drink tea.")
    assert opened.ports.operations.apply(operation(closed(other)))
    damage(kept.memory_id, b"{")
    damage(other.memory_id, b"{")
    undone = nights(opened).undo("op_1")
    assert undone.status == "done"
    assert any(other.memory_id in note and "can't be read" in note for note in undone.notes)
    assert nights(opened).run(undone.run_id) == undone


class NoPages(FolderPages):
    """A folder of which no page can be read."""

    def __init__(self, folder: Path, error: Exception) -> None:
        super().__init__(folder)
        self._error = error

    def names(self) -> list[str]:
        raise self._error


@pytest.mark.parametrize("error", [OverflowError(f"date of {WORD}"), ValueError(WORD), KeyError(WORD), OSError(WORD)])
def test_pages_that_fail_are_told_and_the_run_stands(
    opened: OpenStore, night: NightPorts, tmp_path: Path, error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    with_pages = replace(night, pages=lambda _: NoPages(tmp_path / "pages", error))
    night.ledger.record(ANA, [wish("one")], NOON)
    (run,) = nights(opened, with_pages).nightly("rules")
    assert (run.status, run.error) == ("done", None)
    (told,) = [note for note in run.notes if "pages were not written" in note]
    assert type(error).__name__ in told
    assert nights(opened).run(run.run_id) == run
    assert opened.ports.operations.apply(operation(closed(Writer(opened.ports).write("tea"))))
    undone = nights(opened, with_pages).undo("op_1")
    assert undone.status == "done"
    assert any("pages were not written" in note for note in undone.notes)
    assert WORD not in caplog.text + str(run.notes) + str(undone.notes)
