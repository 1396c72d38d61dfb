"""One memory erased for good, with its history: from record, index, audits, counts, operations, runs and pages."""

import json
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import ErrorCode
from commonplace.settings import Settings
from tests.conftest import NOON, refusal
from tests.integration.command_line import run, stored
from tests.integration.command_line import run as run_command

pytestmark = pytest.mark.integration
Opener = Callable[..., Commonplace]

BASSOON, OBOE = "Ana plays the bassoon in Ottakring.", "Ana plays the oboe in Ottakring."


def places(file: Path, *words: str) -> list[str]:
    """The words that are in the memory file or in one beside it."""
    texts = [one.read_bytes().decode("utf-8", "ignore").casefold() for one in file.parent.glob(f"{file.name}*")]
    return [word for word in words if any(word in text for text in texts)]


@pytest.mark.parametrize("named", [0, 1, 2])
def test_whatever_id_of_it_is_named_nothing_is_left_of_a_memory_and_its_history(
    memory: Commonplace, memory_file: Path, named: int
) -> None:
    memory.store_memory("Ana lives in Vienna.")
    first = memory.write_memory("bassoonist", BASSOON, "personal_context", "durable").memory_id
    assert first is not None
    done = memory.update_memory(memory_id=first, value=OBOE, tags=["fagott", "oboe"])
    corrected = memory.update_memory(memory_id=done.memory_id, tags=["klezmer"])
    third = memory.update_memory(memory_id=done.memory_id, value="Ana plays the theremin.")
    assert memory.search_memory("what does Ana play").results
    ids = [third.memory_id, done.memory_id, first]
    assert memory.erase(ids[named]).ids == tuple(ids)
    hits = memory.search_memory("what does Ana play in Ottakring", options={"min_relevance": 0.0}).results
    assert [hit.content for hit in hits] == ["Ana lives in Vienna."]
    assert memory.list_memories().count == 1
    for operation_id in (done.operation_id, corrected.operation_id, third.operation_id):
        assert {one.outcome for one in memory.undo(operation_id).operations} == {"kept"}
    for memory_id in ids:
        assert "was erased" in refusal(partial(memory.get_memory, memory_id)).message
        assert refusal(partial(memory.history, memory_id=memory_id)).code is ErrorCode.NOT_FOUND
        assert "was erased already" in refusal(partial(memory.erase, memory_id)).message
    with memory._local.ports.records._database.reading() as connection:  # type: ignore[attr-defined]
        assert connection.execute("SELECT count(*) FROM usage WHERE memory_id IN (?, ?, ?)", ids).fetchone() == (0,)
    memory.close()
    words = ("bassoon", "fagott", "oboe", "klezmer", "theremin")
    assert places(memory_file, *words) == []
    assert places(memory_file, "vienna") == ["vienna"]


def test_the_command_tells_what_was_merged_with_it_and_what_is_made_again(memory: Commonplace, memory_file: Path) -> None:
    texts = (BASSOON, "Ana lives in Vienna.", "Ana owns a kayak.")
    ids = [memory.store_memory(text).memory_id for text in texts]
    for memory_id in ids:
        memory.update_memory(memory_id=memory_id, category="personal_context")
    one = memory.merge_memories(ids, dry_run=False).memory_id
    memory.close()
    asked = ("erase", "--memory", str(ids[0]), "--db", str(memory_file), "--user", "ana")
    shown = run(*asked, home=memory_file.parent).out
    before, after = shown.split("This was merged with it, and stays as one memory:")
    words = ("bassoon", "Vienna", "kayak")
    assert [word in before for word in words] == [True, True, True]
    assert [word in after for word in words] == [False, True, True]
    done = run(*asked, "--yes", "--json", home=memory_file.parent)
    told = json.loads(done.out)
    assert (done.code, set(told["ids"])) == (0, {ids[0], one})
    again = told["made_again"][0]
    left = ("erase", "--memory", again, "--db", str(memory_file), "--user", "ana", "--yes")
    assert run(*left, home=memory_file.parent).out.startswith(f"erased for good: {again}")


def test_what_it_was_read_from_goes_and_what_runs_quote_of_it(memory: Commonplace, memory_file: Path) -> None:
    talk = {"type": "discussion", "id": "talk-1", "time": "2026-05-11T09:00:00+02:00"}
    memory.record_interactions([{**talk, "messages": [{"role": "user", "content": "I play the bassoon in an orchestra."}]}])
    run = memory.nightly("rules")
    (added,) = [one.memory_id for one in run.operations if one.kind == "ADD"]
    assert added is not None
    assert memory.erase(added).ids == (added,)
    (entry,) = memory._local.night().ledger.entries("local|ana", ["talk-1"])
    assert (entry.state, entry.interaction) == ("read", None)
    assert [one.why for one in memory.run(run.run_id).operations if one.memory_id == added] == ["(erased)"]
    memory.undo_run(run.run_id, reread=True)
    assert memory.nightly("rules").operations == ()
    memory.close()
    assert places(memory_file, "bassoon") == []


def test_a_key_that_an_edited_page_replaced_goes_out_of_the_operation(memory: Commonplace, memory_file: Path) -> None:
    first = memory.write_memory("bassoonist", "Ana plays in Ottakring.", "personal_context", "durable").memory_id
    assert first is not None
    folder = memory_file.parent / "pages"
    memory.write_markdown(folder)
    page = folder / "MEMORY.md"
    page.write_text(page.read_text("utf-8").replace("**bassoonist**", "**plays**"), encoding="utf-8")
    memory.apply_markdown(folder, dry_run=False)
    assert memory.get_memory(key="plays").memory.value == "Ana plays in Ottakring."
    memory.erase(first)
    memory.close()
    assert places(memory_file, "bassoonist") == []


def test_pages_of_the_night_are_written_anew(tmp_path: Path) -> None:
    settings = Settings(db=tmp_path / "m.db", pages=tmp_path / "pages")
    with Commonplace(user_id="ana", settings=settings) as memory:
        wish = {"type": "explicit", "time": "2026-05-20T09:00:00Z"}
        texts = ("Remember that I play the bassoon.", "Remember that I live in Kiel.")
        memory.record_interactions([{**wish, "id": str(number), "text": text} for number, text in enumerate(texts)])
        memory.nightly("rules")
        (bassoon,) = [one.memory_id for one in memory.list_memories().memories if "bassoon" in one.value]
        memory.erase(bassoon)
    texts_left = [page.read_text("utf-8") for page in (tmp_path / "pages").rglob("*.md")]
    assert not any("bassoon" in text for text in texts_left)
    assert any("Kiel" in text for text in texts_left)


def test_a_run_at_work_is_waited_for_and_nothing_is_touched(memory: Commonplace) -> None:
    first = memory.store_memory(BASSOON).memory_id
    leases = memory._local.night().leases
    fence = leases.lease("local|ana", NOON, NOON + timedelta(minutes=5))
    assert fence is not None
    assert refusal(lambda: memory.erase(first)).code is ErrorCode.CONFLICT
    assert memory.get_memory(first).memory.value == BASSOON
    leases.release(fence)
    assert memory.erase(first).ids == (first,)


def test_after_a_stop_in_between_the_same_call_goes_on(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    first = memory.store_memory(BASSOON).memory_id
    second = memory.update_memory(memory_id=first, value=OBOE).memory_id
    operations, calls = memory._local.ports.operations, list[Any]()

    def apply(*given: Any) -> bool:
        calls.append(given)
        if len(calls) == 2:
            raise KeyboardInterrupt
        return type(operations).apply(operations, *given)

    monkeypatch.setattr(operations, "apply", apply)
    with pytest.raises(KeyboardInterrupt):
        memory.erase(second)
    assert memory.erase(second).ids == (second,)  # what was named is the last
    assert {one["raw_text"] for one in memory.export()} == {""}


def test_another_user_and_an_unknown_id_are_left_alone(open_memory: Opener) -> None:
    first = open_memory("ben").store_memory(BASSOON).memory_id
    for memory_id in (first, "mem_01M7Y9WZRKKCZMXKBZPYYE31X7", ""):
        error = refusal(partial(open_memory("ana").erase, memory_id))
        assert (error.code, error.field) == (ErrorCode.NOT_FOUND, "memory_id")
    assert open_memory("ben").get_memory(first).memory.value == BASSOON


def test_the_answer_names_the_places_that_changed_and_no_words(memory: Commonplace, memory_file: Path) -> None:
    memory.record_interactions([{"type": "explicit", "id": "1", "text": "Remember that I play the bassoon."}])
    run = memory.nightly("rules")
    (first,) = [one.memory_id for one in run.operations if one.kind == "ADD"]
    assert first is not None
    memory.search_memory("bassoon")
    memory.record_feedback(first, "bassoon", True)
    memory.export_memories()
    memory.upload(b"{}")
    memory.backup()
    answer = memory.erase(first)
    assert answer.places == ("backups", "exports", "feedback", "interactions", "runs", "search_log", "uploads")
    assert "bassoon" not in answer.model_dump_json().casefold()
    second = memory.store_memory(BASSOON).memory_id
    memory.export_memories()
    memory.close()
    shown = run_command(
        "erase", "--memory", second, "--yes", "--db", str(memory_file), "--user", "ana", home=memory_file.parent
    )
    assert shown.out == f"erased for good: {second}\nalso erased from: exports\n"


def test_what_a_wrong_clock_hides_is_erased_as_well(open_memory: Opener) -> None:
    memory = open_memory()
    first = memory.store_memory(BASSOON).memory_id
    backup_id = memory.backup().backup_id
    assert backup_id is not None
    open_memory(now=lambda: NOON + timedelta(days=5 * 365)).erase(first)
    assert memory.verify(backup_id).count == 0


def test_a_person_is_told_first_and_it_is_done_with_yes(memory_file: Path) -> None:
    db, home = ("--db", str(memory_file)), memory_file.parent
    first = stored(BASSOON, memory_file)
    second = run("update", first, OBOE, "--json", *db, home=home).answer["memory_id"]
    shown = run("erase", "--memory", first, *db, home=home, environment={"COLUMNS": "200"})
    assert (shown.code, shown.err) == (0, "")
    assert shown.out.index(OBOE) < shown.out.index(BASSOON) < shown.out.index("--yes")
    assert run("get", second, *db, home=home).code == 0
    done = run("erase", "--memory", first, "--yes", "--json", *db, home=home)
    assert json.loads(done.out) == {"user": "local|local", "memories": 2, "erased": True, "ids": [second, first]}
    again = run("erase", "--memory", first, "--yes", *db, home=home)
    assert (again.code, again.out) == (3, "")
    assert "was erased already" in again.err
    assert places(memory_file, "bassoon", "oboe") == []
