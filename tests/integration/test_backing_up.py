"""Backups by every way in: Python, the command line, the local server and AWS; who may apply; what is kept how long."""

import json
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from commonplace import Commonplace, CommonplaceError, ErrorCode
from commonplace.adapters.s3 import S3StoredFiles, connect
from commonplace.adapters.sqlite.stored_files import SqliteStoredFiles
from commonplace.domain.transfer import BackupResult
from commonplace.interfaces.aws import container
from commonplace.ports.bundle import BackupStorage, Ports
from commonplace.use_cases import dispatch
from tests.conftest import NOON, refusal
from tests.integration.cloud_functions import ports as ports
from tests.integration.command_line import run
from tests.integration.http_server import served
from tests.integration.lambda_calls import KINDS, called
from tests.s3_buckets import BUCKET

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

CELLO, TEA = "I play the cello.", "I drink green tea."


def texts(memory: Commonplace) -> list[str]:
    return sorted(one["raw_text"] for one in memory.export() if one["status"] == "active")


def test_it_is_made_listed_checked_planned_applied_and_undone(open_memory: Opener) -> None:
    memory = open_memory()
    tea = memory.store_memory(TEA).memory_id
    memory.store_memory(CELLO)
    made = memory.backup()
    assert (made.status, made.count, made.as_of, made.expires_at) == ("done", 2, NOON, NOON + timedelta(days=90))
    assert [one.backup_id for one in memory.backups()] == [made.backup_id]
    checked = memory.verify(str(made.backup_id))
    assert (checked.ok, checked.problems, checked.sha256, checked.count) == (True, [], made.sha256, 2)
    memory.delete_memory(memory_id=tea)
    memory.store_memory("I have a dog.")
    plan = memory.restore(str(made.backup_id), "replace")
    assert (plan.status, plan.adds, len(plan.closes or ())) == ("needs_review", [tea], 1)
    assert texts(memory) == ["I have a dog.", CELLO]
    assert memory.restore(run_id=plan.run_id) == plan
    done = memory.restore(run_id=plan.run_id, confirm=made.backup_id)
    assert (done.run_id, done.status, done.adds, done.closes) == (plan.run_id, "done", plan.adds, plan.closes)
    assert texts(memory) == [TEA, CELLO]
    assert memory.search_memory("green tea").results[0].content == TEA
    memory.undo_run(str(plan.run_id))
    assert texts(memory) == ["I have a dog.", CELLO]


def test_what_was_changed_since_the_plan_stays_and_is_told(memory: Commonplace) -> None:
    tea = memory.store_memory(TEA).memory_id
    made = memory.backup()
    memory.delete_memory(memory_id=tea)
    plan = memory.restore(str(made.backup_id))
    again = memory.store_memory(TEA).memory_id
    done = memory.restore(run_id=plan.run_id, confirm=made.backup_id)
    assert (done.adds, [(one.id, one.code) for one in done.refused or ()]) == ([], [(tea, "conflict")])
    assert [one["memory_id"] for one in memory.export() if one["status"] == "active"] == [again]


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"action": "verify"}, ErrorCode.MISSING_FIELD, "backup_id"),
        ({"action": "verify", "backup_id": "backup_1"}, ErrorCode.NOT_FOUND, "backup_id"),
        ({"action": "verify", "backup_id": "../x"}, ErrorCode.NOT_FOUND, "backup_id"),
        ({"action": "backup", "mode": "missing"}, ErrorCode.INVALID_ARGUMENT, "mode"),
        ({"action": "list", "run_id": "run_1"}, ErrorCode.INVALID_ARGUMENT, "run_id"),
        ({"action": "restore"}, ErrorCode.INVALID_ARGUMENT, "backup_id"),
        ({"action": "restore", "backup_id": "backup_1", "run_id": "run_1"}, ErrorCode.INVALID_ARGUMENT, "backup_id"),
        ({"action": "restore", "backup_id": "backup_1", "confirm": "backup_1"}, ErrorCode.INVALID_ARGUMENT, "confirm"),
        ({"action": "restore", "run_id": "run_1"}, ErrorCode.NOT_FOUND, "run_id"),
        ({"action": "wipe"}, ErrorCode.INVALID_ARGUMENT, "action"),
    ],
)
def test_each_action_takes_its_own_arguments(given: Any, code: ErrorCode, field: str, memory: Commonplace) -> None:
    refused = refusal(lambda: memory.call("backup_restore", given))
    assert (refused.code, refused.field) == (code, field)


def test_a_plan_is_applied_only_with_the_id_of_its_backup(memory: Commonplace) -> None:
    tea = memory.store_memory(TEA).memory_id
    made = memory.backup()
    memory.delete_memory(memory_id=tea)
    plan = memory.restore(str(made.backup_id))
    refused = refusal(lambda: memory.restore(run_id=plan.run_id, confirm="backup_other"))
    assert (refused.code, refused.field) == (ErrorCode.INVALID_ARGUMENT, "confirm")
    assert refusal(lambda: memory.restore("x", run_id=plan.run_id)).field == "backup_id"
    assert texts(memory) == []


def test_the_oldest_makes_room_and_each_goes_by_time(open_memory: Opener) -> None:
    made = [open_memory(now=partial(NOON.__add__, timedelta(minutes=number))).backup() for number in range(12)]
    later = open_memory(now=lambda: NOON + timedelta(hours=1))
    assert [one.backup_id for one in later.backups()] == [one.backup_id for one in made[:1:-1]]
    over = open_memory(now=lambda: NOON + timedelta(days=90, minutes=11))
    assert over.backups() == []
    assert refusal(lambda: over.verify(str(made[-1].backup_id))).code is ErrorCode.NOT_FOUND


def test_a_backup_that_can_not_be_stored_leaves_the_oldest_in_place(
    open_memory: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [open_memory(now=partial(NOON.__add__, timedelta(minutes=number))).backup() for number in range(10)]
    later = open_memory(now=lambda: NOON + timedelta(hours=1))
    full = CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the disk is full")
    monkeypatch.setattr(SqliteStoredFiles, "put", mock.Mock(side_effect=full))
    assert refusal(later.backup).code is ErrorCode.STORAGE_UNAVAILABLE
    assert [one.backup_id for one in later.backups()] == [one.backup_id for one in made[::-1]]


def test_a_model_takes_no_other_s_room_and_applies_nothing(memory: Commonplace) -> None:
    asking, kept = replace(memory._build_caller(), admin=False), replace(memory._local.ports, backups=BackupStorage(most=1))

    def asked(**arguments: Any) -> BackupResult:
        found = dispatch.call("backup_restore", arguments, asking, kept)
        assert isinstance(found, BackupResult)
        return found

    tea = memory.store_memory(TEA).memory_id
    made = asked(action="backup")
    full = asked(action="backup")
    assert (made.status, full.status, full.backup_id) == ("done", "needs_review", None)
    assert [one.backup_id for one in memory.backups()] == [made.backup_id]
    memory.delete_memory(memory_id=tea)
    plan = asked(action="restore", backup_id=made.backup_id)
    told = asked(action="restore", run_id=plan.run_id, confirm=made.backup_id)
    assert (plan.status, told.status, told.adds) == ("needs_review", "needs_review", [tea])
    assert "commonplace/admin" in str(told.notes)
    assert texts(memory) == []


def test_who_leaves_takes_backups_along_and_nothing_comes_back(memory: Commonplace, memory_file: Path) -> None:
    memory.store_memory(TEA)
    made = memory.backup()
    memory.erasure().erase()
    assert memory.backups() == []
    assert refusal(lambda: memory.restore(str(made.backup_id))).code is ErrorCode.NOT_FOUND
    memory.close()
    assert str(made.backup_id).encode() not in memory_file.read_bytes()


def test_a_wish_that_a_night_reads_takes_it_out_of_backups(memory: Commonplace) -> None:
    memory.store_memory("My passport has the number that I keep in the blue folder.")
    memory.store_memory(CELLO)
    made = memory.backup()
    told = {"type": "explicit", "text": "Please forget what I told you about my passport.", "id": "1", "time": NOON}
    memory.record_interactions([told])
    memory.nightly()
    assert texts(memory) == [CELLO]
    checked = memory.verify(str(made.backup_id))
    assert (checked.ok, checked.count) == (True, 1)


def test_on_the_command_line(memory: Commonplace, memory_file: Path, tmp_path: Path) -> None:
    tea = memory.store_memory(TEA).memory_id

    def backup(*words: str) -> Any:
        return run("backup", *words, "--db", str(memory_file), "--user", "ana", home=tmp_path)

    assert backup("list").out.strip() == 'there is no backup; "commonplace backup make" makes one'
    made = json.loads(backup("make", "--json").out)
    name = made["backup_id"]
    assert name in backup("list").out
    checked = backup("verify", name)
    assert (checked.code, "nothing wrong" in checked.out) == (0, True)
    assert (backup("restore", name).code, backup("restore", "--apply").code) == (0, 2)
    memory.delete_memory(memory_id=tea)
    plan = backup("restore", name)
    assert (plan.code, tea in plan.out, texts(memory)) == (5, True, [])
    run_id = json.loads(backup("restore", name, "--json").out)["run_id"]
    done = backup("restore", name, "--run", run_id, "--apply")
    assert (done.code, f"runs undo {run_id}" in done.out, texts(memory)) == (0, True, [TEA])
    memory.delete_memory(memory_id=tea)
    assert backup("restore", name, "--mode", "replace", "--apply").code == 0
    assert texts(memory) == [TEA]
    assert backup("verify", "backup_1").code == 3


def test_over_the_local_server(memory_file: Path) -> None:
    with served(memory_file, "--user", "ana") as server:
        tea = server.call("store_memory", content=TEA)["memory_id"]
        made = server.call("backup_restore", action="backup")
        server.call("delete_memory", memory_id=tea)
        plan = server.call("backup_restore", action="restore", backup_id=made["backup_id"])
        applied = {"action": "restore", "run_id": plan["run_id"], "confirm": made["backup_id"]}
        assert server.call("backup_restore", **applied)["adds"] == [tea]
        assert server.call("get_memory", memory_id=tea)["memory"]["value"] == TEA


@pytest.mark.usefixtures("bucket")
def test_on_aws_people_apply_it_and_models_plan(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = replace(ports, files=S3StoredFiles(connect("eu-central-1"), BUCKET))
    monkeypatch.setattr(container, "ports", lambda: kept)
    for kind in KINDS:
        asked = partial(called, kind, "backup_restore")
        tea = called(kind, "store_memory", {"content": TEA})[1]["memory_id"]
        _, made = asked({"action": "backup"})
        called(kind, "delete_memory", {"memory_id": tea})
        _, plan = asked({"action": "restore", "backup_id": made["backup_id"]})
        assert (plan["status"], plan["adds"]) == ("needs_review", [tea])
        _, done = asked({"action": "restore", "run_id": plan["run_id"], "confirm": made["backup_id"]})
        assert (done["status"] == "done") is kind.admin
        assert made["backup_id"] in [one["backup_id"] for one in asked({"action": "list"})[1]["backups"]]
