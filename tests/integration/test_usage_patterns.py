"""`usage_patterns`, whole: what searches of any way in leave, in one file."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from tests import scripted_nights
from tests.conftest import NOON
from tests.integration.command_line import run, stored

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]


def kept(path: Path) -> list[str]:
    with closing(sqlite3.connect(path)) as connection:
        return [query for (query,) in connection.execute("SELECT query FROM searches ORDER BY number")]


def test_every_tool_that_searches_leaves_its_query_and_no_other(memory: Commonplace, memory_file: Path) -> None:
    memory.store_memory("I drink green tea at noon.")
    memory.search_memory("tea one")
    memory.memory_search("tea two")
    memory.memory_search_personal("tea three")
    memory.get_memory_context("tea four")
    memory.trace_search("tea five")
    memory.summarize_memory("tea six")
    memory.search_memory("tea seven", counts=False)
    assert memory.usage_patterns().searches == 4
    assert kept(memory_file) == ["tea one", "tea two", "tea three", "tea four"]


def test_a_secret_is_not_kept(memory: Commonplace, memory_file: Path) -> None:
    memory.store_memory("I drink green tea at noon.")
    memory.search_memory("my wifi password is blue-monkey-42 and which tea do I drink")
    memory.close()
    (query,) = kept(memory_file)
    assert "blue-monkey-42" not in query
    assert b"blue-monkey-42" not in memory_file.read_bytes()


def test_other_processes_see_what_was_asked_once_it_was_closed(open_memory: Opener) -> None:
    one, other = open_memory(), open_memory()
    one.store_memory("I drink green tea at noon.")
    one.search_memory("tea")
    one.close()
    assert other.usage_patterns().searches == 1


def test_switched_off_nothing_is_kept_and_the_answer_says_so(memory_file: Path) -> None:
    settings = Settings.model_validate({"db": memory_file, "search_log": "false"})
    with Commonplace(user_id="ana", now=lambda: NOON, settings=settings) as memory:
        memory.store_memory("I drink green tea at noon.")
        memory.search_memory("tea")
        told = memory.usage_patterns()
    assert told.searches == 0
    assert told.notes is not None
    assert "COMMONPLACE_SEARCH_LOG" in str(told.notes.warnings)
    assert kept(memory_file) == []


def test_erasing_a_memory_leaves_no_word_of_it_in_the_log(memory: Commonplace, memory_file: Path) -> None:
    gone = memory.store_memory("The silver zither key hangs behind the mirror.")
    memory.search_memory("where is the zither key behind the mirror")
    assert memory.usage_patterns().searches == 1
    assert memory.erase(gone.memory_id).notes is None
    memory.close()
    assert b"zither" not in memory_file.read_bytes()


def test_what_a_night_forgets_takes_the_queries_along(memory: Commonplace, memory_file: Path) -> None:
    def night(day: int, said: str) -> None:
        memory.record_interactions([scripted_nights.told(f"talk-{day}", said, time=f"2026-05-{day}T09:00:00+02:00")])
        memory.nightly(mode="rules")

    night(11, "I play the bassoon in the Ottakring orchestra.")
    memory.search_memory("which bassoon orchestra do I play in")
    memory.search_memory("what is for dinner")
    assert memory.usage_patterns().searches == 2
    night(12, "Forget my bassoon.")
    memory.close()
    assert kept(memory_file) == ["what is for dinner"]


def test_a_person_sees_hours_and_what_was_asked_in_vain(memory_file: Path) -> None:
    stored("I play the cello in an orchestra.", memory_file)
    run("search", "cello", "--db", str(memory_file), home=memory_file.parent)
    done = run("usage", "--db", str(memory_file), "--timezone", "Europe/Berlin", home=memory_file.parent)
    assert (done.code, done.err) == (0, "")
    assert all(word in done.out for word in ("cello", "by hour", "by weekday", "Europe/Berlin"))
    told = run("usage", "--json", "--db", str(memory_file), home=memory_file.parent)
    assert told.answer["searches"] == 1
