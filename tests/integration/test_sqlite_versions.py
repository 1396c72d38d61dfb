"""A memory file of another version is refused, and the error says how to bring its memories over."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.adapters.sqlite import opening
from tests.integration.command_line import run

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]


@pytest.fixture
def of_version(memory_file: Path, open_memory: Opener) -> Callable[[int], Path]:
    """Makes a memory file that says it has another version."""

    def made(version: int) -> Path:
        with open_memory() as memory:
            memory.store_memory("I drink tea.")
        with closing(sqlite3.connect(memory_file)) as connection:
            connection.executescript(f"PRAGMA journal_mode = DELETE; PRAGMA user_version = {version}")
        return memory_file

    return made


@pytest.mark.parametrize("version", [0, 4, 999])
def test_a_file_of_another_version_is_refused_as_it_is(
    of_version: Callable[[int], Path], open_memory: Opener, version: int
) -> None:
    file = of_version(version)
    before = file.read_bytes()
    with pytest.raises(CommonplaceError, match=f"memory.db is a memory file of version {version}, ") as caught:
        open_memory()
    assert caught.value.code.label == "storage_unavailable"
    assert file.read_bytes() == before
    assert not file.with_name("memory.db-wal").exists()


def test_so_is_one_that_can_only_be_read(
    of_version: Callable[[int], Path], open_memory: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    of_version(4)
    monkeypatch.setattr(opening, "is_read_only", lambda _: True)
    with pytest.raises(CommonplaceError, match="is a memory file of version 4, "):
        open_memory()


def test_the_first_files_had_no_application_id_and_are_known_by_their_tables(
    of_version: Callable[[int], Path], open_memory: Opener
) -> None:
    with closing(sqlite3.connect(of_version(3))) as connection:
        connection.execute("PRAGMA application_id = 0")
    with pytest.raises(CommonplaceError, match="is a memory file of version 3, "):
        open_memory()


def test_the_command_line_says_how_its_memories_come_over(of_version: Callable[[int], Path]) -> None:
    file = of_version(4)
    done = run("search", "tea", "--db", str(file), home=file.parent)
    assert (done.code, done.out) == (4, "")
    for command in ("commonplace export > memories.jsonl", "commonplace import memories.jsonl --apply"):
        assert command in " ".join(done.err.split())


def test_an_empty_file_that_can_not_be_written_says_so(
    memory_file: Path, open_memory: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory_file.touch()
    monkeypatch.setattr(opening, "is_read_only", lambda _: True)
    with pytest.raises(CommonplaceError, match="is empty, and can't be written"):
        open_memory()
