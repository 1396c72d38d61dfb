"""Memories with vectors of another model are found by words, the answers say so, and `reindex` embeds them again."""

import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.adapters.sentence_encoder import SentenceEncoder
from tests.integration.command_line import run

pytestmark = pytest.mark.integration

FACTS = [f"I keep {number} bees in garden number {number * 3}" for number in range(2, 42)]
JOB = "I work as a nurse in Leeds"
OLD, NEW = "another-model", SentenceEncoder.name
NOTE = "some memories have vectors of another model, so only their words were compared; run commonplace reindex"


@pytest.fixture
def other_file(memory_file: Path) -> Path:
    """A file whose memories have the vectors of another model."""
    with Commonplace(memory_file) as memory:
        for fact in (*FACTS, JOB):
            memory.store_memory(fact)
    with closing(sqlite3.connect(memory_file)) as connection, connection:
        connection.execute(
            "UPDATE memories SET embedding_model = ?1, record = json_set(record, '$.embedding_model', ?1)", (OLD,)
        )
    return memory_file


def models(path: Path) -> dict[str | None, int]:
    with closing(sqlite3.connect(path)) as connection:
        return dict(connection.execute("SELECT embedding_model, count(*) FROM memories GROUP BY 1").fetchall())


def found(memory: Commonplace, query: str) -> list[str]:
    return [hit.content for hit in memory.search_memory(query).results]


def note(memory: Commonplace, query: str) -> str | None:
    notes = memory.search_memory(query).notes
    return notes.degraded if notes else None


def test_a_search_finds_them_by_words_and_says_so(other_file: Path) -> None:
    with Commonplace(other_file) as memory:
        assert found(memory, "nurse in Leeds")[0] == JOB
        assert JOB not in found(memory, "who looks after patients?")
        assert note(memory, "who looks after patients?") == NOTE
        assert [hit.distance for hit in memory.memory_search("nurse in Leeds").results] == [None]
        memory.store_memory("My physician is Dr Okafor")
        assert "My physician is Dr Okafor" in found(memory, "who is my doctor?")
        assert note(memory, "who is my doctor?") == NOTE


def test_a_store_says_that_it_compared_words_only_where_it_did(other_file: Path) -> None:
    with Commonplace(other_file) as memory:
        alike = memory.store_memory("I work as a nurse in York")
        assert alike.recommendations.similar[0].similarity is None
        assert alike.notes
        assert alike.notes.degraded == NOTE
        other = memory.store_memory("My cat is called Miso")
        assert other.notes is None or other.notes.degraded is None


def test_a_keyed_write_says_so_too(other_file: Path) -> None:
    with Commonplace(other_file) as memory:
        written = memory.write_memory("job", "I work as a nurse in York", category="personal_context", durability="durable")
        assert written.notes
        assert written.notes.degraded == NOTE


def test_reindex_embeds_them_again_and_the_note_is_gone(other_file: Path) -> None:
    done = run("reindex", "--json", home=other_file.parent, environment={"COMMONPLACE_DB": str(other_file)})
    assert done.answer == {"embedded": 41}
    assert models(other_file) == {NEW: 41}
    with Commonplace(other_file) as memory:
        assert found(memory, "who looks after patients?")[0] == JOB
        assert note(memory, "who looks after patients?") is None
        assert memory.reindex() == 0


def test_reindex_tells_its_progress_and_a_search_of_the_same_process_sees_it(other_file: Path) -> None:
    told: list[tuple[int, int]] = []
    with Commonplace(other_file) as memory:
        assert note(memory, "nurse in Leeds") == NOTE
        assert memory.reindex(lambda done, of: told.append((done, of))) == 41
        assert note(memory, "nurse in Leeds") is None
    assert told == [(32, 41), (41, 41)]


def test_nobody_elses_memories_are_embedded_or_told_of(other_file: Path) -> None:
    with Commonplace(other_file, user_id="ben") as bens:
        bens.store_memory("I work as a baker in Leeds")
        assert note(bens, "who works in Leeds?") is None
        assert bens.reindex() == 0
    assert models(other_file) == {OLD: 41, NEW: 1}


def test_a_memory_without_a_vector_is_not_one_of_another_model(memory_file: Path) -> None:
    with Commonplace(memory_file) as memory:
        memory.store_memory("मैं दिल्ली में रहता हूँ")
        memory.store_memory(JOB)
        assert None in models(memory_file)
        assert note(memory, "nurse in Leeds") is None
        assert memory.reindex() == 0


def test_a_closed_memory_is_embedded_too_as_an_undo_may_open_it(other_file: Path) -> None:
    with Commonplace(other_file) as memory:
        memory.delete_memory(memory.search_memory("nurse in Leeds").results[0].id)
        assert memory.reindex() == 41


_ENDLESS = """
import sys
from commonplace import Commonplace
with Commonplace(sys.argv[1]) as memory:
    def told(done, of):
        print("ready", flush=True)
        sys.stdin.readline()
    memory.reindex(told)
"""


def test_a_reindex_that_is_killed_goes_on_where_it_was(other_file: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _ENDLESS, str(other_file)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    with Commonplace(other_file) as memory:
        assert found(memory, "Leeds") == [JOB]
        assert memory.reindex() == 41 - 32
    assert models(other_file) == {NEW: 41}
