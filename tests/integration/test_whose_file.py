"""Which files are opened, and how: another program's stays as it is, a read-only one is read, a closed one says so."""

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.adapters.sqlite.opening import APPLICATION_ID
from commonplace.settings import Settings
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration

_NOBODY = 65534
READING = (["search", "tea"], ["export"], ["context", "food"], ["discover"], ["runs", "list"])


def application_id(file: Path) -> int:
    """By the header of the file itself, as other programs see it."""
    return int.from_bytes(file.read_bytes()[68:72], "big")


def opened(file: Path) -> Commonplace:
    return Commonplace(file, user_id="local", settings=Settings(db=file))


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


@pytest.mark.parametrize("journal", ["delete", "wal"])
@pytest.mark.parametrize("table", ["notes (body)", "memories (memory_id, record)"])
@pytest.mark.parametrize("command", ["search", "store"])
def test_a_database_of_another_program_is_left_as_it_is(tmp_path: Path, journal: str, table: str, command: str) -> None:
    folder = tmp_path / "theirs"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "their.db")) as theirs:
        theirs.execute(f"PRAGMA journal_mode = {journal}")
        theirs.execute(f"CREATE TABLE {table}")
    before = contents(folder)
    done = run(command, "tea", "--db", str(folder / "their.db"), home=tmp_path)
    assert (done.code, done.out) == (4, "")
    assert "their.db is a database of another program, and was not changed" in done.err
    assert contents(folder) == before


def test_nor_is_one_that_its_program_has_open(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "their.db", isolation_level=None)) as theirs:
        theirs.execute("PRAGMA journal_mode = WAL")
        theirs.execute("CREATE TABLE notes (body)")  # in the log: the file itself has no table yet
        before = (tmp_path / "their.db").read_bytes()
        with pytest.raises(CommonplaceError, match="another program"):
            opened(tmp_path / "their.db")
        assert (tmp_path / "their.db").read_bytes() == before
        assert theirs.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    assert not (tmp_path / "their.db.lock").exists()


def test_an_empty_database_is_taken(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "new.db")) as new:
        new.execute("VACUUM")
    assert (tmp_path / "new.db").stat().st_size > 0
    with opened(tmp_path / "new.db") as memory:
        memory.store_memory("I drink tea.")
        assert len(list(memory.export())) == 1


def test_nor_is_a_read_only_one_read(shelf: Path) -> None:
    with closing(sqlite3.connect(shelf / "their.db")) as theirs:
        theirs.execute("CREATE TABLE notes (body)")
    (shelf / "their.db").chmod(0o444)
    with as_anybody(), pytest.raises(CommonplaceError, match="another program"):
        opened(shelf / "their.db")


def test_a_text_file_gets_no_lock_beside_it(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("just some notes " * 100)
    with pytest.raises(CommonplaceError, match="not a memory file"):
        opened(tmp_path / "notes.txt")
    assert [path.name for path in tmp_path.iterdir()] == ["notes.txt"]


def test_a_new_file_says_whose_it_is(memory_file: Path) -> None:
    opened(memory_file).close()
    assert application_id(memory_file) == APPLICATION_ID


@pytest.fixture(scope="module")
def _all_imported(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Who is nobody may not read the folder of root's Python: what the commands import is imported before."""
    home = tmp_path_factory.mktemp("home")
    for command in (["store", "I drink tea."], *READING):
        assert run(*command, home=home).code == 0


@pytest.fixture
def shelf(_all_imported: None) -> Iterator[Path]:
    """A folder that every user of this machine may enter."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        yield Path(name)
        Path(name).chmod(0o755)


@contextmanager
def as_anybody() -> Iterator[None]:
    """Root may write what is read-only; anybody else may not."""
    root = os.geteuid() == 0
    if root:
        os.seteuid(_NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.fixture(params=["its file", "its folder", "both"])
def read_only(request: pytest.FixtureRequest, shelf: Path) -> Iterator[Path]:
    file = shelf / "memory.db"
    stored("My daughter Mia is allergic to peanuts.", file)
    (shelf / "memory.db.lock").unlink(missing_ok=True)
    shelf.chmod(0o777)
    file.chmod(0o666)
    if request.param != "its folder":
        file.chmod(0o444)
    if request.param != "its file":
        shelf.chmod(0o555)
    with as_anybody():
        yield file


def test_a_read_only_file_is_searched_and_exported(read_only: Path) -> None:
    before = contents(read_only.parent)
    found = run("search", "is anybody allergic?", "--json", "--db", str(read_only), home=read_only.parent)
    assert (found.code, found.err) == (0, "")
    assert [hit["content"] for hit in found.answer["results"]] == ["My daughter Mia is allergic to peanuts."]
    for command in READING:
        done = run(*command, "--db", str(read_only), home=read_only.parent)
        assert (done.code, done.err) == (0, "")
    assert "Mia" in run("export", "--db", str(read_only), home=read_only.parent).out
    assert contents(read_only.parent) == before


def test_it_says_that_it_can_not_be_written(read_only: Path) -> None:
    done = run("store", "I drink tea.", "--db", str(read_only), home=read_only.parent)
    assert (done.code, done.out) == (4, "")
    assert "read-only; it can be searched and exported" in done.err


def test_one_with_a_memory_that_an_older_version_embedded_is_opened_all_the_same(shelf: Path) -> None:
    with opened(shelf / "memory.db") as memory:
        for text in ("I drink tea.", "I play the cello."):
            memory.store_memory(text)
        memory.reindex()
    with closing(sqlite3.connect(shelf / "memory.db")) as older, older:
        older.execute("UPDATE memories SET embedding_model = 'an older one' WHERE row = 1")
    (shelf / "memory.db").chmod(0o444)
    with as_anybody(), opened(shelf / "memory.db") as memory:
        found = memory.search_memory("tea", options={"min_relevance": 0.0}).results
        assert "I drink tea." in [hit.content for hit in found]


def test_it_is_read_while_its_owner_writes(shelf: Path) -> None:
    with opened(shelf / "memory.db") as owner:
        owner.store_memory("I drink tea.")
        for file in shelf.iterdir():
            file.chmod(0o644)
        shelf.chmod(0o555)
        with as_anybody():
            reader = opened(shelf / "memory.db")
            assert [hit.content for hit in reader.search_memory("tea").results] == ["I drink tea."]
        owner.store_memory("I drink green tea at five.")
        with as_anybody():
            assert len(reader.search_memory("tea", options={"min_relevance": 0.0}).results) == 2
            reader.close()


def test_a_file_that_is_read_as_it_stands_must_not_change(shelf: Path) -> None:
    file = shelf / "memory.db"
    stored("I drink tea.", file)
    file.chmod(0o444)
    with as_anybody():
        reader = opened(file)
    stored("I drink coffee.", file)
    with as_anybody(), pytest.raises(CommonplaceError, match="was changed since it was opened"):
        list(reader.export())
    reader.close()


def test_changes_that_can_not_be_read_are_no_missing_memories(shelf: Path) -> None:
    with opened(shelf / "memory.db") as owner:
        owner.store_memory("I drink tea.")
        left = {name: (shelf / name).read_bytes() for name in ("memory.db", "memory.db-wal")}
    copy = shelf / "copy"
    copy.mkdir()
    for name, content in left.items():
        (copy / name).write_bytes(content)
    copy.chmod(0o555)
    with as_anybody(), pytest.raises(CommonplaceError, match="are in a log that"):
        opened(copy / "memory.db")
    copy.chmod(0o755)


@pytest.mark.parametrize(
    "use",
    [
        lambda memory: memory.store_memory("I drink tea."),
        lambda memory: memory.search_memory("tea"),
        lambda memory: list(memory.export()),
        lambda memory: memory.runs(),
    ],
)
def test_after_close_the_error_says_closed(memory_file: Path, use: Callable[[Commonplace], object]) -> None:
    memory = opened(memory_file)
    memory.close()
    with pytest.raises(CommonplaceError) as caught:
        use(memory)
    assert caught.value.code.label == "storage_unavailable"
    assert caught.value.message == "this memory was closed; open it again"
    memory.close()
