"""Taking back: a run or an operation, to the last field; what can't be is listed."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.extraction.candidate import Decision, MemoryView
from commonplace.extraction.days import Day
from commonplace.ports.values import Audit
from commonplace.runs import apply as run_steps
from tests.conftest import NOON
from tests.scripted_nights import all_new, current, heard, id_of, nights_of, open_gates, told

pytestmark = pytest.mark.integration

NOT_COMPARED = {"version", "updated_at", "access_count", "last_accessed"}


@pytest.fixture(autouse=True)
def _open_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    open_gates(monkeypatch)


def fields(memory: Commonplace) -> dict[str, dict[str, Any]]:
    """Every memory that is or was current before, without what each write changes."""
    return {
        one["memory_id"]: {name: value for name, value in one.items() if name not in NOT_COMPARED}
        for one in memory.export()
        if one["status"] != "deleted"
    }


def a_day(memory: Commonplace, *decide: Callable[[Day, MemoryView], list[Decision]]) -> None:
    """One night for each of the readers, over a new interaction each."""
    for number, reader in enumerate(decide, len(memory.runs())):
        said = told(f"d{number}", "I live in Munich.", "I live in Hamburg.", "The dog is gone.", "I play the cello.")
        memory.record_interactions([said])
        list(nights_of(memory, reader).nightly())


def moves(memory: Commonplace, old: str, new: str) -> Callable[[Day, MemoryView], list[Decision]]:
    return lambda day, _: [Decision(heard(day, new), "UPDATE", (id_of(memory, old),), why="moved")]


def everything(memory: Commonplace) -> Callable[[Day, MemoryView], list[Decision]]:
    def decide(day: Day, view: MemoryView) -> list[Decision]:
        berlin, dog, cat = (id_of(memory, text) for text in ("I live in Berlin.", "My dog is Bo.", "My cat is Ada."))
        return [
            Decision(heard(day, "I play the cello."), "ADD"),
            Decision(heard(day, "I live in Munich."), "UPDATE", (berlin,)),
            Decision(heard(day, "The dog is gone.", content=""), "DELETE", (dog, cat)),
            Decision(heard(day, "I live in Hamburg."), "UPDATE", (berlin,)),
        ]

    return decide


@pytest.fixture
def before(memory: Commonplace) -> dict[str, dict[str, Any]]:
    """What is there before the night: three memories, one of them under a key, one found twice."""
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    memory.store_memory("My dog is Bo.")
    memory.store_memory("My cat is Ada.")
    memory.search_memory("dog")
    return fields(memory)


def test_every_memory_is_as_it_was(memory: Commonplace, before: dict[str, dict[str, Any]]) -> None:
    a_day(memory, everything(memory))
    assert fields(memory) != before
    undone = memory.undo_run("last")
    assert {one.outcome for one in undone.operations} == {"undone"}
    assert (undone.kind, undone.status) == ("undo", "done")
    assert fields(memory) == before
    assert memory.history("home").values[0].value == "I live in Berlin."


def test_twice_is_harmless_and_an_undo_can_be_taken_back(memory: Commonplace, before: dict[str, dict[str, Any]]) -> None:
    a_day(memory, everything(memory))
    after, night = fields(memory), memory.run("last")
    undo = memory.undo_run(night.run_id)
    assert memory.undo_run("last").notes == ("there was nothing to take back",)
    assert fields(memory) == before
    memory.undo_run(undo.run_id)
    assert fields(memory) == after


def _tagged(memory: Commonplace) -> tuple[str, str]:
    """Two memories whose tags `optimize_tags` makes one."""
    ids = memory.store_memory("I bake bread.").memory_id, memory.store_memory("I roast coffee.").memory_id
    for one, tag in zip(ids, ("kubernets", "kubernetes"), strict=True):
        memory.update_memory(memory_id=one, tags=[tag])
    return ids


def test_undoing_an_undo_restores_the_dates_of_merged_tags(memory: Commonplace) -> None:
    _tagged(memory)
    applied = memory.call("optimize_tags", {"dry_run": False})["run_id"]
    before = memory.tag_uses()
    assert {tag.tag for tag in before if tag.first_used is not None} == {"kubernets", "kubernetes"}
    memory.undo_run(memory.undo_run(applied).run_id)
    assert memory.tag_uses() == before


def test_each_undo_of_an_undo_turns_the_tag_renames_round(memory: Commonplace) -> None:
    _tagged(memory)
    run_id = memory.call("optimize_tags", {"dry_run": False})["run_id"]
    rows, user = memory.nights().context.ports.tag_rows, memory.nights().context.user_id
    merged = rows.rows(user)
    assert merged
    for expected in ({}, merged, {}, merged):
        run_id = memory.undo_run(run_id).run_id
        assert rows.rows(user) == expected


@pytest.mark.parametrize("discarded", [False, True])
def test_the_last_is_no_plan_that_was_never_applied(open_memory: Callable[..., Commonplace], discarded: bool) -> None:
    memory = open_memory()
    ids = _tagged(memory)
    applied = memory.call("optimize_tags", {"dry_run": False})["run_id"]
    later = open_memory(now=lambda: NOON + timedelta(seconds=1))
    later.update_memory(memory_id=ids[0], tags=["cook-book"])
    later.update_memory(memory_id=ids[1], tags=["cookbook"])
    plan = later.call("optimize_tags")["run_id"]
    if discarded:
        later.discard_run(plan)
    assert later.run("last").run_id == plan
    status = later.run(plan).status
    assert later.undo_run("last").undoes == applied
    assert later.run(plan).status == status
    assert later.undo_run("last").undoes == applied  # twice is harmless


def test_where_no_run_was_applied_there_is_no_last(memory: Commonplace) -> None:
    _tagged(memory)
    plan = memory.call("optimize_tags")["run_id"]
    with pytest.raises(CommonplaceError, match="no run was applied yet") as caught:
        memory.undo_run("last")
    assert (caught.value.code, caught.value.field) == (ErrorCode.NOT_FOUND, "run_id")
    assert memory.run(plan).status == "needs_review"
    assert memory.approve_run("last").run_id == plan  # to review, it is the last one still
    assert memory.undo_run("last").undoes == plan


def test_the_last_night_is_taken_back_though_it_changed_nothing(memory: Commonplace) -> None:
    a_day(memory, all_new)
    a_day(memory, lambda _day, _view: [])
    night = memory.run("last")
    assert memory.undo_run("last", reread=True).undoes == night.run_id
    assert memory.nights().context.night.ledger.pending(night.user_id, 10)


def test_one_operation_can_be_taken_back_alone_and_the_run_after_it(
    memory: Commonplace, before: dict[str, dict[str, Any]]
) -> None:
    a_day(memory, everything(memory))
    ops = memory.run("last").operations
    memory.undo(ops[2].operation_id)
    assert current(memory) == ["I live in Hamburg.", "I play the cello.", "My cat is Ada.", "My dog is Bo."]
    memory.undo(ops[3].operation_id)
    assert current(memory) == ["I live in Munich.", "I play the cello.", "My cat is Ada.", "My dog is Bo."]
    assert memory.undo(ops[3].operation_id).operations == ()
    memory.undo_run("last")
    assert fields(memory) == before


def test_an_operation_that_another_built_on_stays(memory: Commonplace, before: dict[str, dict[str, Any]]) -> None:
    a_day(memory, everything(memory))
    first = memory.run("last").operations[1]
    kept = memory.undo(first.operation_id)
    assert {(one.outcome, one.why) for one in kept.operations} == {
        ("kept", "it was changed since"),
        ("kept", "its replacement was changed since"),
    }
    assert "I live in Hamburg." in current(memory)


def test_what_was_changed_since_stays_and_is_listed(memory: Commonplace, before: dict[str, dict[str, Any]]) -> None:
    a_day(memory, everything(memory))
    memory.update_memory("home", "I live in Rome.")
    undone = memory.undo_run("last")
    kept = {one.memory_id: one.why for one in undone.operations if one.outcome == "kept"}
    assert set(kept.values()) == {"it was changed since", "its replacement was changed since"}
    assert current(memory) == ["I live in Rome.", "My cat is Ada.", "My dog is Bo."]


def test_a_memory_whose_key_was_taken_stays_closed(memory: Commonplace) -> None:
    memory.write_memory("pet", "My dog is Bo.", "personal_context", "durable")
    bo = id_of(memory, "My dog is Bo.")
    a_day(memory, lambda day, _: [Decision(heard(day, "The dog is gone.", content=""), "DELETE", (bo,))])
    memory.write_memory("pet", "My cat is Ada.", "personal_context", "durable")
    (kept,) = memory.undo_run("last").operations
    assert (kept.outcome, kept.memory_id, kept.why) == ("kept", bo, "its key was taken meanwhile")
    assert current(memory) == ["My cat is Ada."]


def test_a_memory_that_is_there_again_stays_closed_and_its_successor_goes(memory: Commonplace) -> None:
    memory.store_memory("I live in Berlin.")
    a_day(memory, moves(memory, "I live in Berlin.", "I live in Munich."))
    memory.store_memory("I live in Berlin.")
    outcomes = [one.outcome for one in memory.undo_run("last").operations]
    assert outcomes == ["kept", "undone"]
    assert current(memory) == ["I live in Berlin."]


def test_counting_and_embedding_anew_are_no_changes(memory: Commonplace) -> None:
    memory.store_memory("I live in Berlin.")
    a_day(memory, moves(memory, "I live in Berlin.", "I live in Munich."))
    memory.search_memory("Munich")
    context = memory.nights().context
    (munich,) = context.ports.records.get(context.user_id, [id_of(memory, "I live in Munich.")])
    embedded = munich.model_copy(update={"version": munich.version + 1})
    context.ports.records.update(embedded, Audit("embed", munich.updated_at, {"model": "x"}))
    memory.undo_run("last")
    assert current(memory) == ["I live in Berlin."]


def test_what_a_tool_did_is_taken_back_too(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    before = fields(memory)
    updated = memory.update_memory("home", "I live in Munich.")
    memory.undo(updated.operation_id)
    assert fields(memory) == before
    memory.undo(memory.delete_memory("home").operation_id)
    assert fields(memory) == before
    written = memory.write_memory("role", "I am an engineer.", "work_context", "durable")
    assert written.operation_id
    assert memory.undo(written.operation_id).operations[0].outcome == "undone"
    assert fields(memory) == before


def test_the_last_is_the_last_that_a_run_made(memory: Commonplace, before: dict[str, dict[str, Any]]) -> None:
    a_day(memory, everything(memory))
    made = [one.operation_id for one in memory.run("last").operations if one.outcome == "applied"]
    assert len(made) > 2
    for _ in range(2):  # an undo is no operation to take back, and the second finds nothing more to do
        assert memory.undo("last").undoes == made[-1]
    assert memory.undo("last").operations == ()


def test_the_last_is_a_tools_when_it_came_after_a_run(open_memory: Callable[..., Commonplace]) -> None:
    a_day(open_memory(), all_new)
    later = open_memory(now=lambda: NOON + timedelta(seconds=1))
    operation_id = later.write_memory("tea", "The user drinks green tea.", "preference", "durable").operation_id
    assert later.undo("last").undoes == operation_id


def test_where_there_is_no_operation_there_is_no_last(memory: Commonplace) -> None:
    with pytest.raises(CommonplaceError) as caught:
        memory.undo("last")
    assert (caught.value.code, caught.value.field) == (ErrorCode.NOT_FOUND, "operation_id")


def test_an_unknown_operation_is_told(memory: Commonplace) -> None:
    with pytest.raises(CommonplaceError) as failed:
        memory.undo("op_1")
    assert failed.value.code is ErrorCode.NOT_FOUND


def test_interactions_stay_read_unless_they_are_to_be_read_again(memory: Commonplace) -> None:
    a_day(memory, all_new)
    memory.undo_run("last")
    assert list(nights_of(memory, all_new).nightly()) == []
    memory.undo_run("last", reread=True)
    (run,) = nights_of(memory, all_new).nightly()
    assert run.interactions == ("d0",)
    assert len(current(memory)) == 4


@pytest.fixture
def dies_after(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[int], None]]:
    """Lets an undo die after so many operations."""

    def after(count: int) -> None:
        left, applying = [count], run_steps.apply

        def apply(*given: Any, **more: Any) -> Any:
            if not left[0]:
                raise KeyboardInterrupt
            left[0] -= 1
            return applying(*given, **more)

        monkeypatch.setattr(run_steps, "apply", apply)

    yield after
    monkeypatch.undo()


@pytest.mark.parametrize("count", range(3))
def test_an_undo_that_died_is_finished_by_whatever_comes_next(
    memory: Commonplace, before: dict[str, dict[str, Any]], dies_after: Callable[[int], None],
    monkeypatch: pytest.MonkeyPatch, count: int,
) -> None:  # fmt: skip
    a_day(memory, everything(memory))
    dies_after(count)
    with pytest.raises(KeyboardInterrupt):
        memory.undo_run("last")
    monkeypatch.undo()
    memory.nightly()
    assert fields(memory) == before
    assert {run.status for run in memory.runs()} == {"done"}


@pytest.mark.parametrize("step", ["save_part", "drop_parts", "close"])
def test_an_undo_that_died_at_its_beginning_or_end_leaves_no_words_behind(
    memory: Commonplace, before: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    a_day(memory, everything(memory))
    runs = type(memory.nights().context.night.runs)
    night, real = memory.run("last"), getattr(runs, step)

    def dying(self: object, run: Any, *more: object) -> object:
        if step != "close" or run.status != "running":
            raise KeyboardInterrupt
        return real(self, run, *more)

    monkeypatch.setattr(runs, step, dying)
    with pytest.raises(KeyboardInterrupt):
        memory.undo_run(night.run_id)
    monkeypatch.undo()
    (undone,) = memory.nights().nightly()
    assert (undone.kind, undone.status) == ("undo", "failed" if step == "save_part" else "done")
    assert (fields(memory) == before) is (step != "save_part")
    context = memory.nights().context
    assert context.night.parts.part(context.user_id, undone.run_id, "plan") is None
    memory.undo_run(night.run_id)
    assert fields(memory) == before
