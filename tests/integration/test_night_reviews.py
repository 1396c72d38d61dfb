"""What waits for a person, and what is forgotten for good."""

from collections.abc import Callable
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import Run
from commonplace.extraction.candidate import Decision, MemoryView
from commonplace.extraction.days import Day
from tests.scripted_nights import all_new, current, heard, id_of, nights_of, open_gates, told

pytestmark = pytest.mark.integration

PETS = ["My cat is Ada.", "My dog is Bo.", "My fish is Cy.", "My bird is Di."]


@pytest.fixture(autouse=True)
def _open_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    open_gates(monkeypatch)


def closing_all(memory: Commonplace, operation: str = "DELETE") -> Callable[[Day, MemoryView], list[Decision]]:
    def decide(day: Day, view: MemoryView) -> list[Decision]:
        wish = heard(day, "The pets are gone", content="", forgets=operation == "FORGET")
        gone = [Decision(wish, operation, (id_of(memory, pet),), why="gone") for pet in PETS]  # type: ignore[arg-type]
        return [*gone, Decision(heard(day, "I moved"), "ADD", why="new")]

    return decide


@pytest.fixture
def waiting(memory: Commonplace) -> Run:
    """A run that would close four memories, one more than a day may."""
    for pet in PETS:
        memory.store_memory(pet)
    memory.record_interactions([told("d", "The pets are gone", "I moved")])
    (run,) = nights_of(memory, closing_all(memory)).nightly()
    return run


def test_closings_over_the_limit_wait_and_the_adds_are_made(memory: Commonplace, waiting: Run) -> None:
    assert waiting.status == "needs_review"
    assert [one.outcome for one in waiting.operations] == ["needs_review"] * 4 + ["applied"]
    assert current(memory) == sorted([*PETS, "I moved"])
    shown = memory.run_report(waiting.run_id).operations
    assert [one.closed for one in shown[:4]] == [(pet,) for pet in PETS]


def test_later_nights_go_on(memory: Commonplace, waiting: Run) -> None:
    memory.record_interactions([told("e", "I play the cello.")])
    (run,) = nights_of(memory, all_new).nightly()
    assert run.status == "done"
    assert memory.run(waiting.run_id).status == "needs_review"


def test_approved_they_are_made_where_nothing_has_changed(memory: Commonplace, waiting: Run) -> None:
    ada = id_of(memory, PETS[0])
    memory.undo(memory.delete_memory(_keyed(memory)).operation_id)  # something else happens meanwhile
    records = memory.nights().context.ports.records
    (cat,) = records.get("local|ana", [ada])
    from commonplace.ports.values import Audit

    records.update(cat.model_copy(update={"version": 2, "user_note": "mine"}), Audit("note", cat.updated_at, {}))
    run = memory.approve_run("last")
    assert run.status == "done"
    assert [one.outcome for one in run.operations] == ["lost", "applied", "applied", "applied", "applied"]
    assert PETS[0] in current(memory)
    assert not set(PETS[1:]) & set(current(memory))
    assert memory.approve_run("last") == run


def _keyed(memory: Commonplace) -> str:
    memory.write_memory("role", "I am an engineer.", "work_context", "durable")
    return "role"


def test_discarded_they_are_never_made_and_leave_no_words(memory: Commonplace, waiting: Run, memory_file: Path) -> None:
    run = memory.discard_run("last")
    assert run.status == "done"
    assert [one.outcome for one in run.operations] == ["discarded"] * 4 + ["applied"]
    assert memory.approve_run("last") == run
    assert set(PETS) <= set(current(memory))
    context = memory.nights().context
    names = [f"review/{one.operation_id}" for one in run.operations]
    assert [context.night.parts.part(context.user_id, run.run_id, name) for name in names] == [None] * 5


def test_what_was_approved_can_be_taken_back_with_the_rest(memory: Commonplace, waiting: Run) -> None:
    memory.approve_run("last")
    memory.undo_run("last")
    assert current(memory) == sorted(PETS)


def test_taking_a_run_back_discards_what_waits(memory: Commonplace, waiting: Run) -> None:
    memory.undo_run(waiting.run_id)
    assert memory.run(waiting.run_id).status == "done"
    assert current(memory) == sorted(PETS)
    assert memory.approve_run(waiting.run_id).operations[0].outcome == "discarded"


def test_an_unknown_run_is_told(memory: Commonplace) -> None:
    for ask in (memory.run, memory.undo_run, memory.approve_run, memory.discard_run, memory.run_report):
        with pytest.raises(CommonplaceError) as failed:
            ask("last")
        assert failed.value.code is ErrorCode.NOT_FOUND


SECRET_DIET = "I eat nothing but turnips."


@pytest.fixture
def forgotten(memory: Commonplace) -> Run:
    """A memory of one night that the next was asked to forget."""
    memory.record_interactions([told("d1", SECRET_DIET)])
    list(nights_of(memory, lambda day, _: [Decision(heard(day, SECRET_DIET), "ADD", why="eats turnips")]).nightly())
    memory.record_interactions([told("d2", "Forget that I eat turnips.", time="2026-05-20T10:00:00+02:00")])

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        wish = heard(day, "Forget that I eat turnips.", content="I eat turnips", forgets=True)
        targets = tuple(one.memory_id for one in view.similar("I eat turnips"))
        return [Decision(wish, "FORGET", targets, why="turnips")]

    (run,) = nights_of(memory, decide).nightly()
    return run


def test_what_is_forgotten_is_nowhere_any_more(memory: Commonplace, forgotten: Run, memory_file: Path) -> None:
    assert [(one.kind, one.outcome) for one in forgotten.operations] == [("FORGET", "applied")]
    assert current(memory) == []
    assert "turnip" not in str(list(memory.export()))
    assert "turnip" not in str([memory.run_report(run.run_id) for run in memory.runs()])
    memory.close()
    for file in memory_file.parent.glob(f"{memory_file.name}*"):
        assert b"turnip" not in file.read_bytes(), file.name


def test_its_interactions_stay_read_without_their_text(memory: Commonplace, forgotten: Run) -> None:
    context = memory.nights().context
    entries = context.night.ledger.entries(context.user_id, ["d1", "d2"])
    assert [(entry.state, entry.interaction) for entry in entries] == [("read", None)] * 2


def test_what_is_forgotten_can_not_come_back(memory: Commonplace, forgotten: Run) -> None:
    run = memory.undo_run(forgotten.run_id)
    assert [(one.outcome, one.why) for one in run.operations] == [("kept", "its words were erased and can't be restored")]
    assert current(memory) == []


def test_a_forgotten_memory_is_discarded_where_it_waits(memory: Commonplace, waiting: Run) -> None:
    memory.record_interactions([told("e", "Forget my cat.")])

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        return [Decision(heard(day, "Forget my cat.", forgets=True), "FORGET", (id_of(memory, PETS[0]),))]

    list(nights_of(memory, decide).nightly())
    outcomes = [one.outcome for one in memory.run(waiting.run_id).operations]
    assert outcomes == ["discarded", "needs_review", "needs_review", "needs_review", "applied"]


def test_a_large_wish_closes_at_once_and_is_erased_when_approved(memory: Commonplace) -> None:
    for pet in PETS:
        memory.store_memory(pet)
    memory.record_interactions([told("d", "The pets are gone", "I moved")])
    (run,) = nights_of(memory, closing_all(memory, "FORGET")).nightly()
    assert run.status == "needs_review"
    assert current(memory) == ["I moved"]
    assert "Ada" in str(list(memory.export()))
    approved = memory.approve_run("last")
    assert {one.outcome for one in approved.operations} == {"applied"}
    assert not [one for one in memory.export() if one["raw_text"] in PETS]
    assert current(memory) == ["I moved"]
