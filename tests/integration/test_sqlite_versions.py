"""Memory files of an older version are opened, and hold then what they held before."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.adapters.sqlite.rows import columns, insert
from commonplace.domain.memory import Memory
from commonplace.ports.record_values import Alias
from commonplace.retrieval.documents import document
from commonplace.settings import Settings
from tests.conftest import NOON

pytestmark = pytest.mark.integration

_VERSION_1 = (Path(__file__).parent / "sqlite_version_1.sql").read_text("utf-8")
_MEMORY = Memory.model_validate(
    {
        "memory_id": "mem_1", "user_id": "local|ana", "raw_text": "I drink tea with milk.", "tags": ("tea",),
        "normalized_text": "The user drinks tea with milk.", "memory_type": "fact", "category": "contexts",
        "section": "personal_context", "created_at": NOON, "updated_at": NOON,
    }
)  # fmt: skip


@pytest.fixture
def file_of_version_1(memory_file: Path) -> Path:
    """One memory, and the leavings of another that was deleted."""
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        connection.execute("PRAGMA secure_delete = OFF")
        connection.executescript(_VERSION_1)
        connection.execute("INSERT INTO users VALUES (1, 'local|ana')")
        doc = document(_MEMORY)
        values = columns(_MEMORY, doc, 1, 1, None)
        del values["key"]
        marks = ",".join("?" * len(values))
        connection.execute(f"INSERT INTO memories ({','.join(values)}) VALUES ({marks})", tuple(values.values()))
        insert(connection, 1, 1, doc)
        connection.execute("INSERT INTO tags VALUES (1, 'tea', 1)")
        connection.execute("INSERT INTO audits VALUES (1, 'mem_1', 'store', ?, '{}')", (NOON.isoformat(),))
        connection.execute("INSERT INTO audits VALUES (2, 'mem_2', 'store', ?, '\"zanzibar\"')", (NOON.isoformat(),))
        connection.execute("DELETE FROM audits WHERE number = 2")
    assert b"zanzibar" in memory_file.read_bytes()
    return memory_file


def test_its_memories_are_found_and_may_be_changed(file_of_version_1: Path, open_memory: Callable[..., Commonplace]) -> None:
    assert file_of_version_1.exists()
    for memory in (open_memory(), open_memory()):
        (found,) = memory.search_memory("tea with milk").results
        assert found.id == "mem_1"
    ports = open_memory()._local.ports
    assert ports.facts.tags("local|ana") == {"tea": 1}
    ports.records.update(
        _MEMORY.model_copy(update={"version": 2, "key": "drink"}), ports.records.audits("local|ana", "mem_1")[0]
    )
    holder = ports.operations.holder("local|ana", "default", "drink", NOON)
    assert holder is not None
    assert holder.memory_id == "mem_1"


def test_what_it_deleted_does_not_lie_in_it_any_more(file_of_version_1: Path) -> None:
    with Commonplace(file_of_version_1, user_id="ana", settings=Settings(db=file_of_version_1)):
        assert b"zanzibar" not in file_of_version_1.read_bytes()


def test_what_it_closed_a_month_ago_goes_too(memory_file: Path, open_memory: Callable[..., Commonplace]) -> None:
    closed = open_memory()
    closed.write_memory("instrument", "The user plays the zither.", "personal_context", "durable")
    closed.delete_memory("instrument")
    closed.close()
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as connection:
        connection.executescript("DROP INDEX memories_by_purge; PRAGMA user_version = 2")
    for days, left in ((29, 2), (30, 2)):
        open_memory(now=lambda days=days: NOON + timedelta(days=days)).store_memory(f"I ran {days} km.")
        assert len(list(open_memory().export())) == left


def test_what_a_process_of_an_older_version_brings_back_stays(
    memory_file: Path, open_memory: Callable[..., Commonplace]
) -> None:
    """It has had the file open since before, and knows no column or index that came later."""
    open_memory().write_memory("instrument", "The user plays the zither.", "personal_context", "durable")
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as older:
        there = older.execute("SELECT record, status FROM memories").fetchone()
        open_memory().delete_memory("instrument")
        older.execute("UPDATE memories SET record = ?, status = ?", there)
    open_memory(now=lambda: NOON + timedelta(days=31)).store_memory("I run.")
    assert [one["raw_text"] for one in open_memory().export()] == ["The user plays the zither.", "I run."]


def test_it_has_every_table_and_index_of_a_new_file(file_of_version_1: Path, tmp_path: Path) -> None:
    new = tmp_path / "new.db"
    for path in (file_of_version_1, new):
        Commonplace(path, user_id="ana", settings=Settings(db=path)).close()
    made = "SELECT type, name FROM sqlite_master ORDER BY type, name"
    with closing(sqlite3.connect(file_of_version_1)) as old, closing(sqlite3.connect(new)) as fresh:
        assert old.execute(made).fetchall() == fresh.execute(made).fetchall()
        names = "SELECT name FROM pragma_table_info('memories') ORDER BY name"
        assert old.execute(names).fetchall() == fresh.execute(names).fetchall()


def test_a_file_that_has_no_table_of_aliases_gets_it_with_the_first(
    memory_file: Path, open_memory: Callable[..., Commonplace]
) -> None:
    memory = open_memory()
    tea = memory.store_memory("I drink tea.").memory_id
    with closing(sqlite3.connect(memory_file)) as older:
        older.execute("DROP TABLE aliases")  # so 0.1 made it
    aliases = memory._local.ports.aliases
    assert (aliases.get("local|ana", ["17"]), list(aliases.all("local|ana"))) == ({}, [])
    memory.erase(memory.store_memory("I drink coffee.").memory_id)
    aliases.add("local|ana", [Alias("17", tea)])
    assert memory.get("17").memory_id == tea


def test_a_file_of_a_newer_version_is_refused_in_words(memory_file: Path) -> None:
    with closing(sqlite3.connect(memory_file)) as connection:
        connection.execute("PRAGMA user_version = 999")
    with pytest.raises(CommonplaceError) as caught:
        Commonplace(memory_file, user_id="ana", settings=Settings(db=memory_file))
    assert caught.value.code.label == "storage_unavailable"
    assert "upgrade" in caught.value.message
