"""A backup: what is in it while somebody writes, what comes back, and what does not; over every store."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.domain.memory import Memory
from commonplace.domain.transfer import BackupResult, StoredFile
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Alias, Caller, Rating, RawRecord
from commonplace.runs import undo
from commonplace.runs.apply import RunContext
from commonplace.runs.backup_file import BackupReading, read_backup
from commonplace.runs.queueing import exclusive_lease
from commonplace.use_cases import dispatch
from tests.conftest import NOON, refusal
from tests.contract.changes import ANA, BEN
from tests.contract.damage import damage_of

pytestmark = pytest.mark.integration

OWN = {"version", "updated_at", "embedding_model", "purge_at"}


def at(minutes: int, **fields: Any) -> Caller:
    return Caller(ANA, NOON + timedelta(minutes=minutes), **fields)


def call(ports: Ports, tool: str, caller: Caller, **arguments: Any) -> Any:
    return dispatch.call(tool, arguments, caller, ports)


def back_up(ports: Ports, caller: Caller, **arguments: Any) -> BackupResult:
    found = call(ports, "backup_restore", caller, **arguments)
    assert isinstance(found, BackupResult)
    return found


def made(ports: Ports, minutes: int = 0) -> str:
    return str(back_up(ports, at(minutes), action="backup").backup_id)


def applied(ports: Ports, minutes: int, backup_id: str, mode: str = "missing") -> BackupResult:
    plan = back_up(ports, at(minutes), action="restore", backup_id=backup_id, mode=mode)
    if plan.run_id is None:
        return plan
    assert plan.status == "needs_review"
    return back_up(ports, at(minutes), action="restore", run_id=plan.run_id, confirm=backup_id)


def content(ports: Ports, backup_id: str, now: datetime = NOON) -> tuple[StoredFile, bytes]:
    assert ports.files is not None
    found = ports.files.get(ANA, "backup", backup_id, now)
    assert found is not None
    return found


def reading(ports: Ports, backup_id: str, now: datetime = NOON) -> BackupReading:
    return read_backup(*content(ports, backup_id, now), ANA)


def kept(ports: Ports) -> dict[str, dict[str, object]]:
    return {one.memory_id: shown(one) for one in ports.records.all(ANA)}


def shown(memory: Memory) -> dict[str, object]:
    return memory.model_dump(exclude=OWN)


def erasable(opened: OpenStore, minutes: int) -> ErasableUser:
    context = RunContext(at(minutes), opened.ports, opened.night(), lambda: at(minutes).now)
    return ErasableUser(context, opened.erasure())


@pytest.fixture
def life(opened: OpenStore) -> dict[str, str]:
    """A replaced value, a deleted memory, labels that were corrected, ids from elsewhere, and feedback."""
    ports = opened.ports
    written = {"category": "preference", "durability": "durable"}
    call(ports, "write_memory", at(-9), key="home", value="The user lives in Lisbon.", **written)
    call(ports, "update_memory", at(-8), key="home", value="The user lives in Porto.")
    tea = call(ports, "store_memory", at(-7), content="Ana drinks green tea.").memory_id
    cello = call(ports, "store_memory", at(-6), content="Ana plays the cello.").memory_id
    call(ports, "update_memory", at(-5), memory_id=cello, tags=["strings"])
    bike = call(ports, "store_memory", at(-4), content="Ana rides a bicycle to work.").memory_id
    call(ports, "delete_memory", at(-3), memory_id=bike)
    ports.aliases.add(ANA, [Alias("17", tea), Alias("18", cello, withdrawn=True)])
    for number, memory_id in enumerate((tea, cello)):
        assert ports.feedback.rate(ANA, Rating(memory_id, "what do I like", True, at(number - 2).now))
    return {"tea": tea, "cello": cello, "bike": bike}


def test_it_holds_records_audit_rows_aliases_and_feedback(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    found = reading(ports, made(ports))
    assert found.problems == []
    assert found.backup is not None
    assert {one.memory_id: shown(one.memory) for one in found.backup.records if one.memory} == kept(ports)
    for one in found.backup.records:
        assert list(one.audits.values()) == ports.records.audits(ANA, one.memory_id)
        assert one.memory is not None
        assert max(one.audits) == one.memory.version
    assert list(found.backup.aliases) == list(ports.aliases.all(ANA))
    assert [one.memory_id for one in found.backup.ratings] == [life["tea"], life["cello"]]
    assert list(found.backup.ratings) == ports.feedback.ratings(ANA, NOON)
    assert found.backup.as_of == NOON


class WrittenMeanwhile:
    """The rows of a store in which somebody writes before each is read, and while they are walked again."""

    def __init__(self, ports: Ports, writes: Iterator[Callable[[], object]]) -> None:
        self._rows, self._writes = ports.raw.rows, writes

    def rows(self, user_id: str) -> Iterator[RawRecord]:
        ids = [row.memory_id for row in self._rows(user_id)]
        for memory_id in ids:
            next(self._writes, lambda: None)()
            yield from (row for row in self._rows(user_id) if row.memory_id == memory_id)


def test_it_is_of_its_moment_whatever_is_written_all_the_while(opened: OpenStore, life: dict[str, str]) -> None:
    ports, before = opened.ports, kept(opened.ports)

    def writes() -> Iterator[Callable[[], object]]:
        yield lambda: call(ports, "update_memory", at(1), key="home", value="The user lives in Faro.")
        yield lambda: call(ports, "update_memory", at(2), memory_id=life["cello"], tags=["music"], importance=5)
        yield lambda: call(ports, "delete_memory", at(3), memory_id=life["tea"])
        yield lambda: call(ports, "store_memory", at(4), content="Ana has a dog.")
        yield lambda: call(ports, "update_memory", at(5), memory_id=life["cello"], tags=["bow"])
        yield lambda: call(ports, "update_memory", at(6), key="home", value="The user lives in Braga.")

    busy = replace(ports, raw=WrittenMeanwhile(ports, writes()))
    found = reading(ports, made(busy)).backup
    assert found is not None
    assert {one.memory_id: shown(one.memory) for one in found.records if one.memory} == before
    assert all(audit.at <= NOON for one in found.records for audit in one.audits.values())
    assert kept(ports) != before


def test_what_was_under_way_at_its_moment_is_in_it_as_a_whole(opened: OpenStore, life: dict[str, str]) -> None:
    """An update asked for before it, written while its two memories are read: one before the write, one after."""
    ports, late = opened.ports, at(-1)
    ids = [row.memory_id for row in ports.raw.rows(ANA)]
    turn = ids.index(next(one.memory_id for one in ports.records.all(ANA) if one.key == "home" and one.status == "active"))
    nothing: list[Callable[[], object]] = [lambda: None] * (turn + 1)
    changing = lambda: call(ports, "update_memory", late, key="home", value="The user lives in Faro.")  # noqa: E731
    busy = replace(ports, raw=WrittenMeanwhile(ports, iter([*nothing, changing])))
    found = reading(ports, made(busy)).backup
    assert found is not None
    assert {one.memory_id: shown(one.memory) for one in found.records if one.memory} == kept(ports)


def test_what_is_gone_comes_back_with_its_names_newer_than_it_was(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    backup_id, before = made(ports), kept(ports)
    call(ports, "delete_memory", at(1), memory_id=life["tea"])
    call(ports, "update_memory", at(2), key="home", value="The user lives in Faro.")
    (deleted,) = ports.records.get(ANA, [life["tea"]])
    done = applied(ports, 3, backup_id)
    assert (done.status, done.adds, done.changes, done.closes, done.refused) == ("done", [life["tea"]], [], [], [])
    (tea,) = ports.records.get(ANA, [life["tea"]])
    assert shown(tea) == before[life["tea"]]
    assert tea.version == deleted.version + 1
    assert call(ports, "get_memory", at(4), memory_id="17").memory.memory_id == life["tea"]
    assert call(ports, "get_memory", at(4), key="home").memory.value == "The user lives in Faro."
    assert applied(ports, 5, backup_id).run_id is None


def test_what_was_purged_comes_back_as_a_new_record(
    opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path, life: dict[str, str]
) -> None:
    ports = opened.ports
    backup_id, before = made(ports), kept(ports)
    damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")(life["tea"], b"[]")
    assert opened.erasure().erase_unreadable(ANA, life["tea"])  # no record and no audit row is left, as after a purge
    assert life["tea"] not in kept(ports)
    assert ports.aliases.get(ANA, ["17"]) == {}
    assert [one.memory_id for one in ports.feedback.ratings(ANA, NOON)] == [life["cello"]]
    done = applied(ports, 1, backup_id)
    assert [one.memory_id for one in ports.feedback.ratings(ANA, NOON)] == [life["tea"], life["cello"]]
    assert (done.adds, done.refused) == ([life["tea"]], [])
    assert kept(ports) == before
    assert call(ports, "get_memory", at(2), memory_id="17").memory.memory_id == life["tea"]
    (audit,) = ports.records.audits(ANA, life["tea"])
    assert (audit.operation, audit.detail["backup_id"]) == ("restore", backup_id)
    assert [one["operation"] for one in audit.detail["imported_history"]] == ["store"]  # type: ignore[attr-defined]
    assert "Ana drinks green tea." in [one.content for one in call(ports, "search_memory", at(3), query="green tea").results]
    with exclusive_lease(context(opened, 4)) as lease:
        run = opened.night().runs.get(ANA, str(done.run_id))
        assert run is not None
        undo.undo_run(run, context(opened, 4), lease)
    assert kept(ports)[life["tea"]]["status"] == "deleted"
    assert ports.aliases.get(ANA, ["17"]) == {}


def test_what_has_its_place_by_now_is_told_and_stays(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    backup_id = made(ports)
    call(ports, "delete_memory", at(1), memory_id=life["tea"])
    again = call(ports, "store_memory", at(2), content="Ana drinks green tea.").memory_id
    done = applied(ports, 3, backup_id)
    assert [(one.id, one.code) for one in done.refused or ()] == [(life["tea"], "conflict")]
    assert again in str(done.refused)
    done = applied(ports, 4, backup_id, "replace")
    assert (done.adds, done.closes, done.refused) == ([life["tea"]], [again], [])


def test_replace_resets_what_changed_and_closes_what_came_later(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    backup_id, before = made(ports), kept(ports)
    call(ports, "update_memory", at(1), key="home", value="The user lives in Faro.")
    faro = call(ports, "update_memory", at(2), key="home", value="The user lives in Braga.").memory_id
    call(ports, "update_memory", at(3), memory_id=life["cello"], tags=["music"], importance=5)
    dog = call(ports, "store_memory", at(4), content="Ana has a dog.").memory_id
    changed = kept(ports)
    done = applied(ports, 5, backup_id, "replace")
    assert (done.status, done.adds, done.refused) == ("done", [], [])
    assert set(done.closes or ()) == {faro, dog}
    after = kept(ports)
    assert {name: after[name] for name in before} == before
    assert {str(one["status"]) for name, one in after.items() if name not in before} <= {"deleted", "superseded"}
    with exclusive_lease(context(opened, 6)) as lease:
        run = opened.night().runs.get(ANA, str(done.run_id))
        assert run is not None
        undo.undo_run(run, context(opened, 6), lease)
    assert kept(ports) == changed


def context(opened: OpenStore, minutes: int) -> RunContext:
    return RunContext(at(minutes), opened.ports, opened.night(), lambda: at(minutes).now)


def test_what_was_erased_is_in_no_backup_any_more_and_never_comes_back(opened: OpenStore, life: dict[str, str]) -> None:
    ports = opened.ports
    backup_id = made(ports)
    before = reading(ports, backup_id).backup
    erasable(opened, 1).erase_memory(life["tea"])
    found = reading(ports, backup_id)
    assert found.problems == []
    assert before is not None
    assert found.backup is not None
    assert found.backup.records == tuple(one for one in before.records if one.memory_id != life["tea"])
    assert [one.name for one in found.backup.aliases] == ["18"]
    assert [one.memory_id for one in found.backup.ratings] == [life["cello"]]
    assert back_up(ports, at(2), action="verify", backup_id=backup_id).ok
    assert applied(ports, 3, backup_id, "replace").adds == []


def test_one_that_a_backup_still_has_is_refused(opened: OpenStore, life: dict[str, str]) -> None:
    ports, files = opened.ports, opened.ports.files
    assert files is not None
    backup_id = made(ports)
    was = content(ports, backup_id)
    erasable(opened, 1).erase_memory(life["tea"])
    files.put(ANA, *was)  # a copy of the bucket that was brought back
    for mode in ("missing", "replace"):
        done = applied(ports, 2, backup_id, mode)
        assert [(one.id, one.code) for one in done.refused or ()] == [(life["tea"], "erased")]
    erasable(opened, 3).erase()
    files.put(ANA, *was)
    plan = back_up(ports, at(4), action="restore", backup_id=backup_id)
    assert (plan.adds, {one.code for one in plan.refused or ()}) == ([], {"erased"})


def test_a_backup_that_can_not_be_read_goes_when_something_is_erased(opened: OpenStore, life: dict[str, str]) -> None:
    ports, files = opened.ports, opened.ports.files
    assert files is not None
    backup_id = made(ports)
    was = content(ports, backup_id)
    files.put(ANA, was[0], was[1][:-40])
    told = back_up(ports, at(1), action="verify", backup_id=backup_id)
    assert (told.ok, bool(told.problems)) == (False, True)
    refused = refusal(lambda: back_up(ports, at(1), action="restore", backup_id=backup_id))
    assert (refused.code, refused.field) == (ErrorCode.INVALID_ARGUMENT, "backup_id")
    erasable(opened, 2).erase_memory(life["tea"])
    assert files.listed(ANA, "backup", NOON) == []


def test_one_that_can_not_be_read_is_kept_as_it_is_and_told(
    opened: OpenStore, request: pytest.FixtureRequest, tmp_path: Path, life: dict[str, str]
) -> None:
    ports = opened.ports
    damage_of(request, request.node.callspec.params["opened"], tmp_path / "memory.db")(life["tea"], b'{"memory_id": 1')
    done = back_up(ports, at(0), action="backup")
    assert done.unreadable == [life["tea"]]
    backup_id = str(done.backup_id)
    found = reading(ports, backup_id)
    assert found.backup is not None
    assert [one.record for one in found.backup.records if one.memory is None] == [b'{"memory_id": 1']
    told = back_up(ports, at(1), action="verify", backup_id=backup_id)
    assert (told.ok, told.unreadable) == (False, [life["tea"]])
    assert [one.id for one in told.problems or ()] == [life["tea"]]
    restored = applied(ports, 2, backup_id, "replace")
    assert ([(one.id, one.code) for one in restored.refused or ()], restored.closes) == ([(life["tea"], "conflict")], [])
    assert [row.record for row in ports.raw.rows(ANA) if row.memory is None] == [b'{"memory_id": 1']


def test_it_is_each_users_own(opened: OpenStore, life: dict[str, str]) -> None:
    backup_id = made(opened.ports)
    for action in ("verify", "restore"):
        arguments = {"action": action, "backup_id": backup_id}
        asked = lambda arguments=arguments: dispatch.call("backup_restore", arguments, Caller(BEN, NOON), opened.ports)  # noqa: E731
        assert refusal(asked).code is ErrorCode.NOT_FOUND
