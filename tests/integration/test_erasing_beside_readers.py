"""What is erased while somebody else reads the file: it goes once they are done, and until then the answer says so."""

import signal
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.adapters.sqlite import database
from commonplace.domain.runs import LEFT_IN_LOG
from commonplace.settings import Settings
from tests.integration.command_line import run, stored
from tests.integration.http_server import served

pytestmark = pytest.mark.integration

SAID = "I play the bassoon in Ottakring."
WORD = b"bassoon"
LEFT = 5


@contextmanager
def reader_at_work(file: Path) -> Iterator[sqlite3.Connection]:
    """Another program that holds a state of the file."""
    with closing(sqlite3.connect(file, isolation_level=None, check_same_thread=False)) as connection:
        connection.execute("BEGIN")
        connection.execute("SELECT count(*) FROM memories").fetchone()
        yield connection


def copies(file: Path, word: bytes = WORD) -> int:
    """How often a word stands in the file and in whatever lies beside it."""
    found = 0
    for one in file.parent.glob(f"{file.name}*"):
        with suppress(FileNotFoundError):  # the file of a lock goes when a writer is done
            found += one.read_bytes().lower().count(word)
    return found


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who erases waits a moment only."""
    monkeypatch.setattr(database, "_PATIENCE", 0.1)


def opened(file: Path) -> Commonplace:
    return Commonplace(file, user_id="local", settings=Settings(db=file))


@pytest.mark.usefixtures("impatient")
@pytest.mark.parametrize("one", [False, True], ids=["a user", "one memory"])
def test_what_a_reader_keeps_is_told_and_goes_with_the_next_opening(memory_file: Path, one: bool) -> None:
    memory_id = stored(SAID, memory_file)
    named = ("erase", *(("--memory", memory_id) if one else ()), "--yes", "--db", str(memory_file))
    with reader_at_work(memory_file):
        done = run(*named, "--json", home=memory_file.parent)
        assert (done.code, done.answer["erased"], done.answer["memories"]) == (LEFT, True, 1)
        assert done.answer["notes"] == {"warnings": [LEFT_IN_LOG]}
        assert copies(memory_file) > 0
        again = run(*named, home=memory_file.parent)
        assert again.code == (3 if one else LEFT)
        assert LEFT_IN_LOG in again.err
    found = run("search", "what do I play", "--json", "--db", str(memory_file), home=memory_file.parent)
    assert (found.code, found.answer["results"]) == (0, [])
    assert copies(memory_file) == 0
    if not one:
        assert (run(*named, home=memory_file.parent).code) == 0


@pytest.mark.usefixtures("impatient")
def test_a_process_that_has_it_open_takes_it_out_when_it_searches(memory_file: Path) -> None:
    memory_id = stored(SAID, memory_file)
    stored("I live in Kiel.", memory_file)
    with opened(memory_file) as server, opened(memory_file) as other:
        with reader_at_work(memory_file):
            assert other.erase(memory_id).notes is not None
        assert copies(memory_file) > 0
        assert server.search_memory("where do I live").results
        assert copies(memory_file) == 0


def test_a_reader_that_ends_in_time_is_waited_for(memory_file: Path) -> None:
    memory_id = stored(SAID, memory_file)
    with opened(memory_file) as memory, reader_at_work(memory_file) as reader:
        threading.Timer(0.5, lambda: reader.execute("ROLLBACK")).start()
        erased = memory.erase(memory_id)
        assert (erased.ids, erased.notes) == ((memory_id,), None)
        assert copies(memory_file) == 0


def test_who_died_before_the_log_was_folded_leaves_it_to_the_next(memory_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    memory_id = stored(SAID, memory_file)
    with reader_at_work(memory_file):  # so that closing alone does not fold it
        with monkeypatch.context() as dying, opened(memory_file) as memory:
            dying.setattr(database, "_PATIENCE", 0.1)
            dying.setattr(database.Database, "_fold_log", lambda _: None)
            memory.erase(memory_id)
        assert copies(memory_file) > 0
    with opened(memory_file):
        assert copies(memory_file) == 0


def test_beside_a_server_at_work_nothing_is_left(memory_file: Path) -> None:
    stored("I live in Kiel.", memory_file)
    over, failures = threading.Event(), list[Any]()
    with served(memory_file) as server:

        def search() -> None:
            while not over.is_set():
                answer = server.ask("POST", "/tools/search_memory", {"query": "where do I live and what do I play"})
                if answer.status != 200:
                    failures.append(answer)

        server.call("search_memory", query="where do I live")  # what is imported at the first search is no part of this
        threads = [threading.Thread(target=search) for _ in range(4)]
        for thread in threads:
            thread.start()
        try:
            left = [_erased_beside(memory_file, number) for number in range(4)]
        finally:
            over.set()
            for thread in threads:
                thread.join()
        assert (left, failures) == ([(0, 0)] * 4, []), server.end(signal.SIGTERM)


def _erased_beside(file: Path, number: int) -> tuple[object, int]:
    """The exit code, and how many copies are left of what was said."""
    memory_id = stored(f"I play the bassoon in street {number} of Ottakring.", file)
    done = run("erase", "--memory", memory_id, "--yes", "--db", str(file), home=file.parent)
    return done.code, copies(file)


@pytest.fixture
def forgetful(memory_file: Path) -> Path:
    """A file with a memory, and the wish to forget it, which no night has read."""
    with opened(memory_file) as memory:
        talk = {"type": "discussion", "time": "2026-05-11T09:00:00+02:00"}
        memory.record_interactions([{**talk, "id": "1", "messages": [{"role": "user", "content": SAID}]}])
        memory.nightly("rules")
        memory.record_interactions([{**talk, "id": "2", "messages": [{"role": "user", "content": "Forget my bassoon."}]}])
    return memory_file


@pytest.mark.usefixtures("impatient")
def test_a_night_tells_what_a_reader_keeps_of_what_it_forgot(forgetful: Path) -> None:
    db, home = ("--db", str(forgetful)), forgetful.parent
    with reader_at_work(forgetful):
        done = run("nightly", "--mode", "rules", "--json", *db, home=home)
        assert (done.code, [LEFT_IN_LOG in one["notes"] for one in done.answer]) == (LEFT, [True])
        assert copies(forgetful) > 0
        shown = run("runs", "show", "last", *db, home=home)
        assert (shown.code, LEFT_IN_LOG in " ".join(shown.out.split())) == (LEFT, True)
    shown = run("runs", "show", "last", "--json", *db, home=home)
    assert (shown.code, LEFT_IN_LOG in shown.answer["run"]["notes"]) == (0, False)
    assert copies(forgetful) == 0


@pytest.mark.usefixtures("impatient")
def test_a_server_tells_it_for_as_long_as_it_is_so(forgetful: Path) -> None:
    with opened(forgetful) as memory, served(forgetful) as server:
        with reader_at_work(forgetful):
            assert LEFT_IN_LOG in memory.nightly("rules").notes
            assert LEFT_IN_LOG in server.ask("GET", "/runs/last").body["run"]["notes"]
        assert LEFT_IN_LOG not in server.ask("GET", "/runs/last").body["run"]["notes"]
        assert copies(forgetful) == 0


def test_other_nights_tell_nothing_and_wait_for_nobody(memory_file: Path) -> None:
    with opened(memory_file) as memory:
        memory.record_interactions([{"type": "explicit", "id": "1", "text": "Remember that I play the cello."}])
        with reader_at_work(memory_file):
            assert LEFT_IN_LOG not in memory.nightly("rules").notes
