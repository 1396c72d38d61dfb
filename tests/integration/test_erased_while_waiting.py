"""What one process still holds, or is about to write, while another one erases it: nothing of it comes back."""

import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.memories.documents import settle

pytestmark = pytest.mark.integration
Open = Callable[..., Commonplace]
MIA, ASKED = "My daughter Mia is allergic to peanuts.", "Is Mia allergic to peanuts?"


def rows(memory_file: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(memory_file)) as file:
        return file.execute(query).fetchall()


def test_a_search_asked_before_a_user_was_erased_is_not_logged_for_the_next_of_that_name(
    open_memory: Open, memory_file: Path
) -> None:
    agent, person = open_memory(), open_memory()
    agent.store_memory(MIA)
    agent.search_memory(ASKED)  # waits in the agent's process to be written
    person.erasure().erase()
    agent.store_memory("The weather is fine in Graz.")
    agent.search_memory("How is the weather?")
    agent.close()
    assert rows(memory_file, "SELECT query FROM searches") == [("How is the weather?",)]


def test_a_search_that_is_logged_just_before_a_memory_is_forgotten_goes_with_it(
    open_memory: Open, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, agent = open_memory(), open_memory()
    memory_id = person.store_memory(MIA).memory_id
    agent.search_memory(ASKED)
    before_writing(monkeypatch, person, "search_log", agent.usage_patterns)  # which writes what waits
    person.erase(memory_id)
    agent.close()
    assert rows(memory_file, "SELECT query FROM searches") == []


def test_a_rating_that_comes_just_before_a_memory_is_forgotten_goes_with_it(
    open_memory: Open, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    person, agent = open_memory(), open_memory()
    memory_id = person.store_memory(MIA).memory_id
    other = person.store_memory("I live in Graz.").memory_id
    before_writing(monkeypatch, person, "feedback", lambda: agent.record_feedback(other, ASKED, useful=False))
    person.erase(memory_id)
    assert rows(memory_file, "SELECT query FROM feedback") == []


def before_writing(
    monkeypatch: pytest.MonkeyPatch, memory: Commonplace, port: str, other_process: Callable[[], object]
) -> None:
    """Lets another process write right before the first transaction in which a port forgets something."""
    adapter = getattr(memory._local.ports, port)
    forget, writing, waiting = adapter.forget, adapter._database.writing, [other_process]

    @contextmanager
    def writes_second(erases: bool = False) -> Iterator[sqlite3.Connection]:
        if waiting:
            waiting.pop()()
        with writing(erases) as connection:
            yield connection

    def forgets(*given: Any) -> Any:
        monkeypatch.setattr(adapter._database, "writing", writes_second)
        try:
            return forget(*given)
        finally:
            monkeypatch.setattr(adapter._database, "writing", writing)
            assert not waiting

    monkeypatch.setattr(adapter, "forget", forgets)


@pytest.mark.parametrize("whole_user", [False, True])
def test_uses_that_wait_to_be_counted_are_not_counted_for_what_was_erased(
    open_memory: Open, memory_file: Path, whole_user: bool
) -> None:
    agent, person = open_memory(), open_memory()
    memory_id = person.store_memory(MIA).memory_id
    kept = person.store_memory("The weather is fine in Graz.").memory_id
    with closing(sqlite3.connect(memory_file)) as another_writer:
        another_writer.execute("BEGIN IMMEDIATE")
        assert MIA in [hit.content for hit in agent.search_memory(ASKED).results]
        another_writer.rollback()
    if whole_user:
        person.erasure().erase()
    else:
        person.erase(memory_id)
    agent.close()
    assert {name for (name,) in rows(memory_file, "SELECT memory_id FROM usage")} <= ({kept} if not whole_user else set())


def test_a_document_erased_while_it_is_written_leaves_no_passage(
    open_memory: Open, memory_file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer, person = open_memory(), open_memory()
    writer.documents.write(("notes",), "neighbour", "She lives next door.")

    def settle_after_erasure(*given: Any) -> Any:
        person.documents.erase(("notes",), "neighbour")
        return settle(*given)

    monkeypatch.setattr("commonplace.use_cases.documents.settle", settle_after_erasure)
    writer.documents.write(("notes",), "neighbour", "My neighbour Zquorbix is in hospital.\n\nShe grows purple carrots.")
    assert [(record["status"], record["raw_text"]) for record in writer.export()] == [("deleted", "")] * 3
    writer.close()
    person.close()
    assert not [file for file in memory_file.parent.iterdir() if b"Zquorbix" in file.read_bytes()]
