"""What was erased does not come back: by its id, by what it was called elsewhere, after its record is purged, too."""

from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.memory import Memory
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Alias, Caller
from commonplace.runs.apply import RunContext
from commonplace.use_cases.import_plan import ImportPlan, ImportRecord
from tests.conftest import NOON
from tests.contract.changes import ANA, BEN, erasing, operation
from tests.contract.conftest import Writer
from tests.contract.damage import damage_of

pytestmark = pytest.mark.integration


def erasable(opened: OpenStore, user_id: str = ANA) -> ErasableUser:
    return ErasableUser(RunContext(Caller(user_id, NOON), opened.ports, opened.night(), lambda: NOON), opened.erasure())


def test_at_first_nothing_was_erased(opened: OpenStore) -> None:
    assert opened.ports.erased.among(ANA, ["mem_1", "", "é/\ud800"]) == set()
    assert opened.ports.erased.among(ANA, []) == set()


def test_a_memory_and_what_it_was_called_elsewhere(opened: OpenStore) -> None:
    ports, writer = opened.ports, Writer(opened.ports)
    tea, coffee = writer.write("tea, green"), writer.write("coffee")
    ports.aliases.add(ANA, [Alias("17", tea.memory_id), Alias("notes/é", tea.memory_id, "run_1", withdrawn=True)])
    ports.aliases.add(ANA, [Alias("18", coffee.memory_id)])
    erasable(opened).erase_memory("17")
    asked = [tea.memory_id, coffee.memory_id, "17", "18", "notes/é", "notes/e"]
    assert ports.erased.among(ANA, asked) == {tea.memory_id, "17", "notes/é"}
    assert ports.erased.among(BEN, asked) == set()


def test_what_a_run_forgets_and_what_closes_along(opened: OpenStore) -> None:
    ports, writer = opened.ports, Writer(opened.ports)
    tea, coffee = writer.write("tea, green"), writer.write("coffee")
    wanted = operation(erasing(tea))
    assert [ports.operations.apply(wanted) for _ in range(2)] == [True, False]
    assert ports.erased.among(ANA, [tea.memory_id, coffee.memory_id]) == {tea.memory_id}


@pytest.fixture
def damaged(opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The id of a memory that can't be read, and that was 17 elsewhere."""
    tea = Writer(opened.ports).write("tea, green").memory_id
    damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")(tea, b"[]")
    opened.ports.aliases.add(ANA, [Alias("17", tea)])
    return tea


def test_one_that_can_not_be_read_and_is_to_be_forgotten(opened: OpenStore, damaged: str) -> None:
    later = Writer(opened.ports).write("coffee", supersedes=damaged)
    assert set(erasable(opened).erase_memory(later.memory_id).ids) == {later.memory_id, damaged}
    assert opened.ports.erased.among(ANA, [damaged, "17", later.memory_id]) == {damaged, "17", later.memory_id}


def test_one_that_was_only_damaged_may_come_from_a_file_that_has_it_whole(opened: OpenStore, damaged: str) -> None:
    assert erasable(opened).erase_memory(damaged).ids == (damaged,)
    assert opened.ports.erased.among(ANA, [damaged, "17"]) == set()
    assert list(opened.ports.aliases.all(ANA)) == []


def test_a_user_of_very_much(opened: OpenStore) -> None:
    writer = Writer(opened.ports)
    entries = [writer.entry(f"note {number}") for number in range(120)]
    opened.ports.records.add(entries)
    opened.ports.aliases.add(ANA, [Alias(f"notes/{number}", one.memory.memory_id) for number, one in enumerate(entries)])
    erasable(opened).erase()
    ids = [*(entry.memory.memory_id for entry in entries), *(f"notes/{number}" for number in range(120))]
    assert opened.ports.erased.among(ANA, [*ids, "mem_other"]) == set(ids)
    assert list(opened.ports.aliases.all(ANA)) == []


def test_no_import_brings_it_back_after_its_record_is_purged(opened: OpenStore) -> None:
    ports, writer = opened.ports, Writer(opened.ports)
    tea, coffee = writer.write("tea, green"), writer.write("coffee")
    erasable(opened).erase_memory(tea.memory_id)
    plan = import_of(opened, tea, coffee)
    assert [(omission.record.memory, omission.why) for omission in plan.left_out] == [(tea, "erased")]
    erasable(opened).erase()  # no record of them is left
    assert list(ports.records.all(ANA)) == []
    plan = import_of(opened, tea, coffee)
    assert ([one.why for one in plan.left_out], plan.new) == (["erased", "erased"], [])


def import_of(opened: OpenStore, *memories: Memory) -> ImportPlan:
    records = [ImportRecord(number, memory) for number, memory in enumerate(memories)]
    return ImportPlan.of(records, Caller(ANA, NOON + timedelta(days=40)), opened.ports)
