"""A file of an older version comes to the present embedding model, and no vector is compared with one of another model."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.adapters.sqlite.reembedding import SqliteReembedding
from commonplace.adapters.static_embedder import StaticEmbedder
from commonplace.memories import reembedding
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

FACTS = [f"I keep {number} bees in garden number {number * 3}" for number in range(2, 42)]
OLD, NEW = StaticEmbedder.name, SentenceEncoder.name


class OlderCommonplace(Commonplace):
    """What a version before this one does to a file: it knows the static model only."""

    def __init__(self, path: Path) -> None:
        super().__init__(path)
        ports = self._local.ports
        assert ports.older is not None
        self._opened = replace(self._local, ports=replace(ports.older, reembedding=None, older=None))


@pytest.fixture
def older_file(memory_file: Path) -> Path:
    """A file whose memories have the vectors of the older model, and nothing of the present one."""
    with OlderCommonplace(memory_file) as memory:
        for fact in (*FACTS, "I work as a nurse in Leeds"):
            memory.store_memory(fact)
    return memory_file


def models(path: Path) -> dict[str | None, int]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT embedding_model, count(*) FROM memories GROUP BY 1").fetchall())


def has_switched(memory: Commonplace) -> bool:
    ports = memory._local.ports
    assert ports.reembedding is not None
    return ports.reembedding.has_switched("local|local")


def test_searches_use_the_older_model_until_all_memories_have_the_present_one(
    older_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reembedding, "SECONDS_PER_WRITE", 0.0)  # one memory a write
    with Commonplace(older_file) as memory:
        before = memory.search_memory("what bees do I keep?").results
        memory.store_memory("My cat is called Miso")
        assert not has_switched(memory)
        assert models(older_file) == {OLD: 42}
        assert [hit.relevance_score for hit in memory.search_memory("what bees do I keep?").results] == pytest.approx(
            [hit.relevance_score for hit in before], abs=0.02
        )
        for number in range(60):
            memory.store_memory(f"I have read book number {number}")
        assert has_switched(memory)
        assert set(models(older_file)) == {NEW}
        assert memory.search_memory("what do I do for a living?").results[0].content == "I work as a nurse in Leeds"


@pytest.mark.parametrize("reindexed", [False, True])
def test_a_write_asks_once_whether_the_user_has_switched(
    older_file: Path, monkeypatch: pytest.MonkeyPatch, reindexed: bool
) -> None:
    asked: list[bool] = []
    ask = SqliteReembedding.has_switched

    def counted(self: SqliteReembedding, user_id: str) -> bool:
        asked.append(ask(self, user_id))
        return asked[-1]

    with Commonplace(older_file) as memory:
        if reindexed:
            memory.reindex()
        monkeypatch.setattr(SqliteReembedding, "has_switched", counted)
        memory.store_memory("My cat is called Miso")
    assert asked == [reindexed]


def test_reindex_does_the_rest_and_the_record_stays_as_it_was(older_file: Path) -> None:
    with Commonplace(older_file) as memory:
        before = list(memory.export())
    done = run("reindex", "--json", home=older_file.parent, environment={"COMMONPLACE_DB": str(older_file)})
    assert done.answer == {"embedded": 41}
    with Commonplace(older_file) as memory:
        after = list(memory.export())
        assert has_switched(memory)
        assert memory.reindex() == 0
    assert [{**one, "embedding_model": NEW} for one in before] == after


def test_what_an_older_process_writes_later_is_found_by_words_and_embedded_at_the_next_open(older_file: Path) -> None:
    with Commonplace(older_file) as memory, OlderCommonplace(older_file) as older:
        memory.reindex()
        older.store_memory("My physician is Dr Okafor")
        assert memory.search_memory("Okafor").results[0].content == "My physician is Dr Okafor"
        assert models(older_file)[OLD] == 1
        assert has_switched(memory)
        assert older.search_memory("Okafor").results  # by words: vectors of the present model are nothing to it
    with Commonplace(older_file) as memory:
        assert models(older_file) == {NEW: 42}
        assert "My physician is Dr Okafor" in [one.content for one in memory.search_memory("who is my doctor?").results]


def test_what_is_changed_or_erased_takes_its_waiting_vector_along(older_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Commonplace(older_file) as memory:
        ports = memory._local.ports
        assert ports.reembedding is not None
        left = ports.reembedding.left("local|local", 100)
        ports.reembedding.keep("local|local", [(number, ports.embedder.embed(text)) for number, text in left[:20]])
        memory.erasure().erase()
    with closing(sqlite3.connect(older_file)) as connection:
        assert connection.execute("SELECT count(*) FROM waiting_vectors").fetchone() == (0,)


_ENDLESS = """
import sys
from commonplace import Commonplace
with Commonplace(sys.argv[1]) as memory:
    def told(done, of):
        print("ready", flush=True)
        sys.stdin.readline()
    memory.reindex(told)
"""


def test_a_reindex_that_is_killed_goes_on_where_it_was(older_file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(older_file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Commonplace(older_file) as memory:
        assert not has_switched(memory)
        assert memory.search_memory("Leeds").results
        assert 0 < memory.reindex() < 41
        assert has_switched(memory)
    assert models(older_file) == {NEW: 41}


def test_a_new_file_has_the_present_model_alone(memory_file: Path) -> None:
    with Commonplace(memory_file) as memory:
        memory.store_memory("I work as a nurse in Leeds")
        assert has_switched(memory)
    assert models(memory_file) == {NEW: 1}
