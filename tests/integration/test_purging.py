"""What is kept for a while after it was closed, and then is nowhere in the file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace
from tests.conftest import NOON

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

ROLE, WALK = "The user works as a nurse.", "The user walked around the Alster."


def at(open_memory: Opener, days: float) -> Commonplace:
    return open_memory(now=lambda: NOON + timedelta(days=days))


def contents(memory: Commonplace) -> list[str]:
    return [str(one["raw_text"]) for one in memory.export()]


def found(memory: Commonplace, query: str) -> list[str]:
    options = {"include_expired": True, "min_relevance": 0}
    answer = memory.call("search_memory", {"query": query, "options": options})
    return [hit["content"] for hit in answer["results"]]


def waiting(memory: Commonplace) -> bool:
    state = memory.call("discover_memory_tools")["current_system_state"]
    return any("removed" in told for told in state["optimization_opportunities"])


def rows(file: Path, table: str) -> int:
    with closing(sqlite3.connect(file)) as connection:
        (count,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()
    return int(count)


def test_what_was_deleted_comes_back_for_thirty_days_and_then_is_gone(open_memory: Opener, memory_file: Path) -> None:
    open_memory().write_memory("role", ROLE, "work_context", "durable")
    operation = open_memory().delete_memory("role").operation_id
    for days in (28.5, 29.9):
        at(open_memory, days).store_memory("I run.")
    assert contents(open_memory()) == [ROLE, "I run."]
    at(open_memory, 30).store_memory("I swim.")
    assert contents(open_memory()) == ["I run.", "I swim."]
    undone = at(open_memory, 31).undo(operation)
    assert [one.outcome for one in undone.operations] == ["kept"]
    assert contents(open_memory()) == ["I run.", "I swim."]
    assert [rows(memory_file, table) for table in ("memories", "words", "audits")] == [2, 2, 2]


def test_an_upload_nobody_imported_goes_once_a_record_confirms_the_clock(open_memory: Opener, memory_file: Path) -> None:
    with at(open_memory, 0) as memory:
        memory.upload(b"- I like tea")
        memory.store_memory("I like coffee")
        assert rows(memory_file, "kept_files") == 1
    for days, left in ((1, 1), (2, 0)):
        with at(open_memory, days) as memory:
            memory.store_memory(f"I drink {days} glasses of milk")
        assert rows(memory_file, "kept_files") == left
    assert b"I like tea" not in memory_file.read_bytes()


def test_a_note_of_a_day_goes_thirty_days_after_its_time(open_memory: Opener) -> None:
    open_memory().write_memory("walk", WALK, "reading_history", "daily")
    expired = at(open_memory, 91)
    expired.store_memory("I run.")
    assert not waiting(expired)  # it expired as designed
    at(open_memory, 119).store_memory("I row.")
    later = at(open_memory, 121)
    later.store_memory("I swim.")
    assert contents(later) == ["I run.", "I row.", "I swim."]
    assert not waiting(later)
    assert WALK not in found(later, "Alster")


def test_a_process_that_knew_it_finds_the_rest(open_memory: Opener) -> None:
    reader = at(open_memory, 121)
    open_memory().write_memory("walk", WALK, "reading_history", "daily")
    open_memory().write_memory("role", ROLE, "work_context", "durable")
    assert set(found(reader, "Alster nurse")) == {WALK, ROLE}
    for days in (119, 121):
        at(open_memory, days).store_memory(f"I swam on day {days}.")
    assert WALK not in found(reader, "Alster nurse")
    assert ROLE in found(reader, "Alster nurse")


@pytest.mark.usefixtures("word_vectors")
def test_an_operation_takes_them_along_and_a_long_tail_goes_by_and_by(open_memory: Opener) -> None:
    memory = open_memory()
    for number in range(150):
        memory.write_memory(
            f"note-{number}", f"The user saw bird {number} of the zoo.", "reading_history", "daily", allow_similar=True
        )
    memory.write_memory("role", ROLE, "work_context", "durable")
    at(open_memory, 119).store_memory("I swim.")
    late = at(open_memory, 121)
    late.update_memory("role", "The user works as a doctor.")
    assert len(contents(late)) == 53
    late.delete_memory("role")
    assert len(contents(late)) == 3
