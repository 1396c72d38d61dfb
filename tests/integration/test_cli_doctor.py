"""`doctor` over a file, and what other commands tell of a record that can't be read."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.contract.damage import damage_in_file
from tests.integration.command_line import Done, run, stored

pytestmark = pytest.mark.integration
USER = "local|local"


@pytest.fixture
def damaged(memory_file: Path) -> str:
    stored("I drink green tea.", memory_file)
    memory_id = stored("I fly to Zanzibar.", memory_file)
    damage_in_file(memory_file, memory_id, b'{"raw_text": "I fly to Zanzibar.')
    return memory_id


def told(file: Path, *arguments: str) -> Done:
    done = run(*arguments, "--db", str(file), home=file.parent)
    assert "zanzibar" not in (done.out + done.err).lower()
    return done


def test_a_whole_file_is_well(memory_file: Path) -> None:
    stored("I drink green tea.", memory_file)
    done = told(memory_file, "doctor", "--json")
    assert (done.code, done.answer) == (0, {"records": 1, "unreadable": {}, "held": {}, "faults": []})


def test_it_lists_what_can_t_be_read(memory_file: Path, damaged: str) -> None:
    done = told(memory_file, "doctor", "--json")
    assert done.code == 5
    assert (done.answer["records"], done.answer["unreadable"]) == (1, {damaged: USER})
    assert damaged in told(memory_file, "doctor").out


def test_it_lists_dates_that_are_held(memory_file: Path) -> None:
    memory_id = stored("I drink green tea.", memory_file)
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        (record,) = connection.execute("SELECT record FROM memories").fetchone()
        older = json.dumps({**json.loads(record), "event_time": "0001-01-01T00:00:00+14:00"})
        connection.execute("UPDATE memories SET record = ?", (older,))
    assert told(memory_file, "doctor", "--json").answer["held"] == {memory_id: ["event_time"]}
    assert "event_time" in told(memory_file, "doctor").out


def test_it_tells_what_sqlite_finds(memory_file: Path) -> None:
    stored("I drink green tea.", memory_file)
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        connection.execute("UPDATE sqlite_sequence SET seq = 0")
        connection.execute("PRAGMA writable_schema = ON")
        connection.execute("UPDATE sqlite_master SET sql = replace(sql, 'last INTEGER', 'last TEXT') WHERE name = 'changes'")
    done = told(memory_file, "doctor", "--json")
    assert (done.code, done.answer["records"]) == (5, 1)
    assert done.answer["faults"]


def test_a_file_that_can_t_be_opened_is_told_with_what_to_do(memory_file: Path) -> None:
    memory_file.write_bytes(b"no database, by any means " * 1_000)
    for command in (("doctor",), ("search", "tea"), ("export",), ("store", "tea")):
        done = told(memory_file, *command)
        assert done.code == 4
        assert str(memory_file) in done.err
        assert "restore a copy" in done.err


def test_an_export_gives_the_others_and_names_it(memory_file: Path, damaged: str) -> None:
    done = told(memory_file, "export")
    assert done.code == 5
    assert len(done.out.splitlines()) == 2
    assert damaged in done.err


@pytest.mark.parametrize("command", [("search", "tea"), ("list",), ("context", "tea")])
def test_others_name_it(memory_file: Path, damaged: str, command: tuple[str, ...]) -> None:
    done = told(memory_file, *command, "--json")
    assert (done.code, done.answer.get("unreadable", [damaged])) == (0, [damaged])
    assert told(memory_file, *command).code == 0


def test_it_is_erased_by_its_id(memory_file: Path, damaged: str) -> None:
    assert f"{damaged} can't be read" in told(memory_file, "erase", "--memory", damaged).out
    assert told(memory_file, "erase", "--memory", damaged, "--yes").code == 0
    assert told(memory_file, "doctor", "--json").answer["unreadable"] == {}
    assert b"Zanzibar" not in memory_file.read_bytes()
    assert told(memory_file, "erase", "--yes", "--json").answer["memories"] == 1
