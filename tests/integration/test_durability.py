"""What was answered is there: after a kill at any moment, from any process, and after the log is folded."""

import json
import random
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError, Place
from commonplace.adapters.sqlite import database, opening
from commonplace.adapters.sqlite.database import Database
from commonplace.adapters.sqlite.facts import SqliteUsage
from commonplace.adapters.sqlite.search_log import SqliteSearchLog
from commonplace.settings import Settings

pytestmark = pytest.mark.integration

_WRITER = """
import sys
from commonplace import Commonplace
with Commonplace(sys.argv[1], user_id="ana", timezone="UTC") as memory:
    for number in range(int(sys.argv[3])):
        stored = memory.store_memory(f"Note {sys.argv[2]} of number {number}: the parcel {number} is at the depot.")
        print(stored.memory_id, flush=True)
"""


def writer(path: Path, name: str, count: int) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", _WRITER, str(path), name, str(count)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def stored_ids(path: Path) -> list[str]:
    with Commonplace(path, user_id="ana", settings=Settings(db=path)) as memory:
        return [found["memory_id"] for found in memory.export()]


def test_a_writer_killed_at_any_moment_loses_nothing_that_it_answered(memory_file: Path) -> None:
    chance = random.Random(1)
    answered: list[str] = []
    for round_ in range(4):
        process = writer(memory_file, str(round_), 10_000)
        assert process.stdout is not None
        answered.append(process.stdout.readline().strip())
        time.sleep(chance.uniform(0.0, 0.15))
        process.send_signal(signal.SIGKILL)
        answered += [line.strip() for line in process.stdout.read().splitlines() if len(line.strip()) == 30]
        process.wait()
        process.stdout.close()
    kept = stored_ids(memory_file)
    assert len(answered) > 4
    assert set(answered) <= set(kept)
    assert len(kept) == len(set(kept))
    assert len(kept) <= len(answered) + 4  # at most the one in flight, each time
    assert sqlite3.connect(memory_file).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_several_processes_write_at_once_and_nothing_is_lost_or_doubled(memory_file: Path) -> None:
    processes = [writer(memory_file, str(name), 25) for name in range(3)]
    answered = [line for process in processes for line in process.communicate()[0].split()]
    assert [process.returncode for process in processes] == [0, 0, 0]
    assert sorted(answered) == sorted(stored_ids(memory_file))
    assert len(set(answered)) == 75


def test_who_opens_waits_for_another_that_makes_the_file(memory_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    other = sqlite3.connect(memory_file, isolation_level=None, check_same_thread=False)
    set_up = opening.set_up

    def set_up_beside_another(connection: sqlite3.Connection, synchronous: str) -> None:
        if synchronous == "NORMAL":
            other.execute("BEGIN EXCLUSIVE")
            threading.Timer(0.2, other.rollback).start()
        set_up(connection, synchronous)

    monkeypatch.setattr(opening, "set_up", set_up_beside_another)
    assert stored_ids(memory_file) == []
    other.close()


def test_commits_are_synced_to_disk(open_memory: Callable[..., Commonplace]) -> None:
    memory = open_memory()
    database = memory._local.ports.records._database  # type: ignore[attr-defined]
    with database.reading() as connection:
        assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_the_log_is_folded_while_readers_are_at_work(
    open_memory: Callable[..., Commonplace], memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert database._LOG_BYTES <= 8_000_000
    monkeypatch.setattr(database, "_LOG_BYTES", 400_000)  # a few stores reach it, not hundreds
    memory, reader = open_memory(), open_memory()
    log = memory_file.with_name(memory_file.name + "-wal")
    sizes = []
    for number in range(20):
        memory.store_memory(f"{number} чай с печеньем")
        sizes.append(log.stat().st_size)
        assert reader.search_memory("чай с печеньем").results
    written = sum(max(0, size - before) for before, size in pairwise([0, *sizes]))
    assert written > 2 * 400_000
    assert max(sizes) <= 400_000
    assert len(list(reader.export())) == 20


def test_a_file_that_is_no_memory_file_is_refused_in_words(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("just some notes " * 100)
    with pytest.raises(CommonplaceError) as caught:
        Commonplace(path, user_id="ana", settings=Settings(db=path))
    assert caught.value.code.label == "storage_unavailable"
    assert "notes.txt" in caught.value.message


def test_no_piece_of_a_secret_is_in_the_file(open_memory: Callable[..., Commonplace], memory_file: Path) -> None:
    memory = open_memory()
    place: Place = {"session_id": "s", "position": 1}
    secret = "hunter2-Tr0ub4dor"
    memory.store_memory(f"my wifi password is {secret} and I love sailing", context={"user_note": f"password: {secret}"})
    memory.memory_store("Knows the server", {"type": "fact", "tags": ["ops", f"password={secret}"]}, place=place)
    refused = memory.answer("store_memory", {"content": f"password: {secret}"})
    assert (refused[0], refused[1]["error"]["code"]) == (400, "secret_only")
    assert secret not in json.dumps(refused)
    memory.import_turns([{"session_id": "s", "position": 2, "speaker": "ana", "text": f"the admin password is {secret}"}])
    memory.search_memory(f"what is my wifi password {secret}")
    memory.close()
    for path in memory_file.parent.iterdir():
        content = path.read_bytes().lower()
        assert b"tr0ub4dor" not in content
        assert b"hunter2" not in content


@pytest.mark.parametrize("counting", [SqliteUsage, SqliteSearchLog])
def test_the_file_is_let_go_of_when_what_is_counted_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, counting: type
) -> None:
    def full(_: object) -> None:
        raise OSError(28, "no space left on device")

    monkeypatch.setattr(counting, "close", full)
    memory = Commonplace(tmp_path / "memory.db", user_id="ana")
    memory.store_memory("I play the cello.")
    with pytest.raises(OSError, match="no space"):
        memory.close()
    with pytest.raises(CommonplaceError, match="this memory was closed"):
        memory.search_memory("cello")
    assert not (tmp_path / "memory.db-wal").exists()


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "COMMIT"])
def test_a_signal_within_a_transaction_leaves_none_open(memory_file: Path, statement: str) -> None:
    database = Database(memory_file)
    connection = database._main

    class Interrupted:
        def execute(self, sql: str, *given: Any) -> sqlite3.Cursor:
            done = connection.execute(sql, *given)
            if sql == statement:
                raise KeyboardInterrupt
            return done

        def __getattr__(self, name: str) -> Any:
            return getattr(connection, name)

    database._main = Interrupted()  # type: ignore[assignment]
    with pytest.raises(KeyboardInterrupt), database.writing():
        pass
    database._main = connection
    with database.writing() as writing:
        assert writing.execute("SELECT count(*) FROM memories").fetchone() == (0,)
    database.close()
