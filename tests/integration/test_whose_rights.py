"""The memory file and what lies beside it are their owner's alone, by whatever umask; what is there keeps its rights."""

import os
import sqlite3
import stat
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from filelock import FileLock

from commonplace import Commonplace, CommonplaceError
from commonplace.adapters.sqlite import database
from commonplace.settings import Settings
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration


@contextmanager
def umask(mask: int) -> Iterator[None]:
    before = os.umask(mask)
    try:
        yield
    finally:
        os.umask(before)


def rights(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def opened(file: Path) -> Commonplace:
    return Commonplace(file, user_id="local", settings=Settings(db=file))


def rights_at_work(file: Path) -> dict[str, int]:
    """The rights of all files of a memory, while one writes."""
    with opened(file) as memory, memory._local.ports.records._database.writing():  # type: ignore[attr-defined]
        return {one.name.removeprefix(file.name): rights(one) for one in file.parent.glob(f"{file.name}*")}


@pytest.mark.parametrize("mask", [0o022, 0o000])
def test_what_is_made_is_its_owners_alone(tmp_path: Path, mask: int) -> None:
    file = tmp_path / "made" / "by us" / "memory.db"
    with umask(mask):
        made = rights_at_work(file)
    assert made == {"": 0o600, "-wal": 0o600, "-shm": 0o600, ".lock": 0o600}
    assert [rights(folder) for folder in (file.parent, file.parent.parent)] == [0o700, 0o700]


def test_the_folders_of_pages_are_their_owners_alone(tmp_path: Path) -> None:
    there, made = tmp_path / "there", tmp_path / "there" / "made" / "pages"
    there.mkdir(mode=0o755)
    with umask(0o022), opened(tmp_path / "memory.db") as memory:
        memory.store_memory("I play the cello.")
        memory.write_markdown(made)
    folders = [made, made.parent, there]
    assert [rights(one) for one in folders] == [0o700, 0o700, 0o755]


def test_a_folder_that_is_there_keeps_its_rights(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    with umask(0o022):
        opened(tmp_path / "memory.db").close()
    assert (rights(tmp_path), rights(tmp_path / "memory.db")) == (0o755, 0o600)


def test_what_is_no_file_is_refused_and_keeps_its_rights(tmp_path: Path) -> None:
    pipe, folder = tmp_path / "pipe", tmp_path / "folder"
    os.mkfifo(pipe, 0o644)
    folder.mkdir(0o755)
    for one, before, why in ((pipe, 0o644, "it is a device or a pipe"), (folder, 0o755, "is a folder: name a file in it")):
        with pytest.raises(CommonplaceError, match=why):
            opened(one)
        assert rights(one) == before


def test_a_file_that_its_owner_shares_stays_shared(memory_file: Path) -> None:
    opened(memory_file).close()
    memory_file.chmod(0o660)
    with umask(0o022):
        assert rights_at_work(memory_file) == {"": 0o660, "-wal": 0o660, "-shm": 0o660, ".lock": 0o660}


def test_an_empty_file_is_closed_to_others_when_it_is_taken_over(memory_file: Path) -> None:
    with umask(0o022):
        memory_file.touch(0o644)
        assert set(rights_at_work(memory_file).values()) == {0o600}
        memory_file.chmod(0o644)
        assert rights_at_work(memory_file)[""] == 0o644


@pytest.fixture
def linked(memory_file: Path) -> Path:
    """Another name of a memory file that is there."""
    stored("I drink tea.", memory_file)
    link = memory_file.parent / "elsewhere" / "link.db"
    link.parent.mkdir()
    link.symlink_to(memory_file)
    return link


def test_a_link_and_its_file_have_one_lock(linked: Path, memory_file: Path) -> None:
    with opened(linked) as memory, memory._local.ports.records._database.writing():  # type: ignore[attr-defined]
        assert memory_file.with_name("memory.db.lock").exists()
        assert [one.name for one in linked.parent.iterdir()] == ["link.db"]


def test_a_link_to_nothing_yet_makes_what_it_names(tmp_path: Path) -> None:
    (tmp_path / "link.db").symlink_to(tmp_path / "there" / "memory.db")
    stored("I drink tea.", tmp_path / "link.db")
    assert rights(tmp_path / "there" / "memory.db") == 0o600


def test_no_search_fails_while_another_writes_under_another_name(linked: Path, memory_file: Path) -> None:
    over, failures = threading.Event(), list[CommonplaceError]()
    with opened(linked) as reader, opened(memory_file) as writer:

        def search() -> None:
            while not over.is_set():
                try:
                    assert reader.search_memory("tea").results
                except CommonplaceError as error:
                    failures.append(error)

        thread = threading.Thread(target=search)
        thread.start()
        for number in range(60):
            writer.store_memory(f"Parcel {number} is at depot {number}.")
        over.set()
        thread.join()
    assert failures == []


@pytest.fixture(params=["by our lock", "by another program"])
def busy(request: pytest.FixtureRequest, memory_file: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A file that somebody writes to all the while; who wants to write gives up soon."""
    monkeypatch.setattr(database, "_WAIT_SECONDS", 0.2)
    stored("I drink tea.", memory_file)
    if request.param == "by our lock":
        with FileLock(f"{memory_file}.lock"):
            yield memory_file
        return
    with closing(sqlite3.connect(memory_file, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        yield memory_file


@pytest.mark.parametrize(
    "command", [["search", "tea"], ["context", "tea"], ["list"], ["export"], ["discover"], ["runs", "list"]]
)
def test_a_busy_file_is_read(busy: Path, command: list[str]) -> None:
    done = run(*command, "--db", str(busy), home=busy.parent)
    assert (done.code, done.err) == (0, "")


def test_what_could_not_be_counted_is_counted_later(memory_file: Path) -> None:
    with opened(memory_file) as memory:
        memory.store_memory("I drink tea.")
        with closing(sqlite3.connect(memory_file, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            assert memory.search_memory("tea").results
        assert memory.search_memory("tea").results
        assert [one["access_count"] for one in memory.export()] == [2]
