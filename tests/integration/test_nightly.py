"""A night over a real file: days are read in order, changes are applied once, and what can't be read blocks nothing."""

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run
from commonplace.extraction.candidate import Decision, MemoryView
from commonplace.extraction.days import Day
from commonplace.nightly import steps
from commonplace.nightly.service import Nights
from commonplace.ports.night import LedgerMark
from commonplace.ports.records import Operations
from commonplace.ports.values import Applied, Fence, Operation, Visibility
from tests.conftest import NOON
from tests.scripted_nights import Script, all_new, current, heard, nights_of, open_gates, told

pytestmark = pytest.mark.integration

TUESDAY, WEDNESDAY = "2026-05-19T22:30:00+02:00", "2026-05-20T08:00:00+02:00"


@dataclass
class Clock:
    """A clock that a test sets."""

    now: datetime = NOON

    def __call__(self) -> datetime:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def memory(open_memory: Callable[..., Commonplace], clock: Clock) -> Commonplace:
    return open_memory(now=clock)


@pytest.fixture(autouse=True)
def _open_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    open_gates(monkeypatch)


def states(memory: Commonplace, *ids: str) -> list[tuple[str, int]]:
    context = memory.nights().context
    return [(entry.state, entry.failures) for entry in context.night.ledger.entries(context.user_id, ids)]


def replacing(old: str, new: str) -> Callable[[Day, MemoryView], list[Decision]]:
    def decide(day: Day, view: MemoryView) -> list[Decision]:
        targets = tuple(one.memory_id for one in view.similar(new) if one.content == old)
        return [Decision(heard(day, new), "UPDATE" if targets else "ADD", targets, why="moved")]

    return decide


def test_days_are_read_oldest_first_and_only_once(memory: Commonplace) -> None:
    memory.record_interactions([told("w", "I play the cello.", time=WEDNESDAY), told("t", "I live in Berlin.", time=TUESDAY)])
    script = Script(all_new)
    (run,) = nights_of(memory, script).nightly()
    assert script.days == ["2026-05-19", "2026-05-20"]
    assert (run.status, run.interactions, run.candidates) == ("done", ("t", "w"), 2)
    assert [one.outcome for one in run.operations] == ["applied", "applied"]
    assert current(memory) == ["I live in Berlin.", "I play the cello."]
    assert list(nights_of(memory, script).nightly()) == []
    assert states(memory, "t", "w") == [("read", 0), ("read", 0)]
    assert memory.run("last") == run


def test_a_memory_tells_the_words_that_it_rests_on(memory: Commonplace) -> None:
    memory.record_interactions([told("d", "Hi!", "I live in Berlin.")])
    list(nights_of(memory, lambda day, _: [Decision(heard(day, "I live in Berlin."), "ADD", why="new")]).nightly())
    (kept,) = memory.export()
    assert (kept["evidence"], kept["session_id"], kept["position"]) == ("I live in Berlin.", "d", 1)
    assert kept["event_time"].startswith("2026-05-20T09:00")
    (shown,) = memory.run_report("last").operations
    assert (shown.says, shown.rests_on, shown.operation.why) == ("I live in Berlin.", "I live in Berlin.", "new")


def test_a_later_day_sees_what_an_earlier_one_left(memory: Commonplace) -> None:
    memory.record_interactions([told("t", "I live in Berlin.", time=TUESDAY), told("w", "I live in Munich.", time=WEDNESDAY)])

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        text = day.utterances[0].text
        return replacing("I live in Berlin.", text)(day, view) if "Munich" in text else all_new(day, view)

    dry = nights_of(memory, decide).preview()
    assert [one.closed for one in dry.operations] == [(), ("I live in Berlin.",)]
    assert list(memory.export()) == []
    assert states(memory, "t", "w") == [("pending", 0)] * 2
    assert memory.runs() == []
    list(nights_of(memory, decide).nightly())
    assert current(memory) == ["I live in Munich."]


def test_an_update_takes_the_key_and_the_old_value_is_kept(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    memory.record_interactions([told("d", "I live in Munich.")])
    list(nights_of(memory, replacing("I live in Berlin.", "I live in Munich.")).nightly())
    found = memory.history("Home")
    assert [(one.value, one.status) for one in found.values] == [
        ("I live in Munich.", "active"),
        ("I live in Berlin.", "superseded"),
    ]
    assert found.values[1].superseded_by == found.values[0].memory_id
    assert [step.operation for step in found.values[1].steps] == ["store", "supersede"]


def test_a_key_that_nobody_held_tells_the_nearest(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    with pytest.raises(CommonplaceError, match="home") as failed:
        memory.history("hone")
    assert failed.value.code is ErrorCode.KEY_NOT_FOUND


def test_what_a_gate_refuses_is_dropped_with_its_reason(memory: Commonplace, monkeypatch: pytest.MonkeyPatch) -> None:
    from commonplace.nightly import operations_planner

    monkeypatch.setattr(operations_planner, "refusal_reason", lambda *_: "no evidence of that")
    memory.record_interactions([told("d", "I live in Berlin.")])
    (run,) = nights_of(memory, all_new).nightly()
    assert (run.operations, [one.why for one in run.dropped]) == ((), ["no evidence of that"])
    assert current(memory) == []


def unsure(decision: Decision, confidence: float) -> Decision:
    return replace(decision, candidate=replace(decision.candidate, confidence=confidence))


@pytest.mark.parametrize(
    ("confidence", "left"), [(0.7, ["I live in Munich."]), (0.6, ["I live in Berlin.", "I live in Munich."])]
)
def test_an_unsure_value_never_replaces_a_durable_memory(memory: Commonplace, confidence: float, left: list[str]) -> None:
    memory.store_memory("I live in Berlin.")
    memory.record_interactions([told("d", "I live in Munich.")])
    update = replacing("I live in Berlin.", "I live in Munich.")
    list(nights_of(memory, lambda day, view: [unsure(one, confidence) for one in update(day, view)]).nightly())
    assert current(memory) == left
    kept = {one["raw_text"]: one for one in memory.export()}
    assert kept["I live in Munich."]["durability"] == ("daily" if confidence < 0.7 else "durable")


def test_an_unsure_ending_closes_no_durable_memory(memory: Commonplace) -> None:
    berlin = memory.store_memory("I live in Berlin.").memory_id
    memory.record_interactions([told("d", "I moved away.")])

    def end(day: Day, _: MemoryView) -> list[Decision]:
        candidate = replace(heard(day, "I moved away."), content="", corrects=True, confidence=0.6)
        return [Decision(candidate, "DELETE", (berlin,), why="ended")]

    (run,) = nights_of(memory, end).nightly()
    assert [one.why for one in run.dropped] == ["its confidence is too low to close a durable memory"]
    assert current(memory) == ["I live in Berlin."]


def test_an_unsure_ending_with_words_of_its_own_is_kept_beside(memory: Commonplace) -> None:
    berlin = memory.store_memory("I live in Berlin.").memory_id
    memory.record_interactions([told("d", "I moved away from Berlin.")])

    def end(day: Day, _: MemoryView) -> list[Decision]:
        candidate = heard(day, "I moved away from Berlin.", corrects=True, confidence=0.6)
        return [Decision(candidate, "DELETE", (berlin,), why="ended")]

    (run,) = nights_of(memory, end).nightly()
    assert [one.why for one in run.operations] == ["unsure, so the durable memory stays beside it"]
    assert current(memory) == ["I live in Berlin.", "I moved away from Berlin."]


def test_a_weak_guess_beside_a_confident_memory_is_dropped(memory: Commonplace) -> None:
    memory.store_memory("I like green tea a lot.")
    memory.record_interactions([told("d", "I like green tea, maybe.")])
    (run,) = nights_of(memory, lambda day, view: [unsure(one, 0.4) for one in all_new(day, view)]).nightly()
    assert [one.why for one in run.dropped] == ["a weak guess beside a confident memory"]
    assert current(memory) == ["I like green tea a lot."]


def test_two_corrections_of_a_day_follow_upon_each_other(memory: Commonplace) -> None:
    berlin = memory.store_memory("I live in Berlin.").memory_id
    memory.record_interactions([told("d", "I live in Munich.", "Sorry, I live in Hamburg.")])

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        return [Decision(heard(day, one.text), "UPDATE", (berlin,), why="moved") for one in day.utterances]

    (run,) = nights_of(memory, decide).nightly()
    assert [one.outcome for one in run.operations] == ["applied", "applied"]
    assert current(memory) == ["Sorry, I live in Hamburg."]
    memory.undo_run("last")
    assert current(memory) == ["I live in Berlin."]


class Meddling:
    """Operations before the first of which the user has a word of their own."""

    def __init__(self, operations: Operations, meddle: Callable[[], object]) -> None:
        self._operations, self._meddle = operations, [meddle]

    def apply(self, operation: Operation, fence: Fence | None = None) -> bool:
        if self._meddle:
            self._meddle.pop()()
        return self._operations.apply(operation, fence)

    def applied(self, user_id: str, operation_id: str) -> Applied | None:
        return self._operations.applied(user_id, operation_id)

    def newest(self, user_id: str) -> Applied | None:
        return self._operations.newest(user_id)

    def holder(self, user_id: str, collection: str, key: str, now: datetime) -> Memory | None:
        return self._operations.holder(user_id, collection, key, now)

    def keys(self, visibility: Visibility, collection: str) -> Sequence[str]:
        return self._operations.keys(visibility, collection)


def meddled(nights: Nights, meddle: Callable[[], object]) -> Nights:
    ports: Any = replace(nights.context.ports, operations=Meddling(nights.context.ports.operations, meddle))  # type: ignore[arg-type]
    return replace(nights, context=replace(nights.context, ports=ports))


def test_a_write_of_the_user_in_between_wins_and_the_lost_operation_is_listed(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    memory.record_interactions([told("d", "I live in Munich.")])
    nights = nights_of(memory, replacing("I live in Berlin.", "I live in Munich."))
    (run,) = meddled(nights, lambda: memory.update_memory("home", "I live in Rome.")).nightly()
    assert [(one.kind, one.outcome) for one in run.operations] == [("UPDATE", "lost")]
    assert current(memory) == ["I live in Rome."]
    assert states(memory, "d") == [("read", 0)]


def poisoned(day: Day, view: MemoryView) -> list[Decision]:
    if any("poison" in one.text for one in day.utterances):
        raise ValueError("scripted")
    return all_new(day, view)


def test_one_that_fails_three_runs_is_failed_with_an_alarm_and_blocks_nothing(
    memory: Commonplace, caplog: pytest.LogCaptureFixture
) -> None:
    memory.record_interactions([told("a", "I live in Berlin."), told("b", "poison"), told("c", "I play the cello.")])
    (first,) = nights_of(memory, poisoned).nightly()
    assert (first.status, first.unread) == ("done", ("b",))
    assert current(memory) == ["I live in Berlin.", "I play the cello."]
    assert states(memory, "a", "b", "c") == [("read", 0), ("pending", 1), ("read", 0)]
    (second,) = nights_of(memory, poisoned).nightly()
    assert (second.status, second.interactions) == ("failed", ("b",))
    assert second.error
    with caplog.at_level(logging.ERROR, logger="commonplace"):
        list(nights_of(memory, poisoned).nightly())
    assert "given up" in caplog.text
    assert states(memory, "b") == [("failed", 3)]
    assert list(nights_of(memory, poisoned).nightly()) == []


@pytest.mark.parametrize("kills", [3, 4, 13])
def test_a_night_that_is_killed_again_and_again_uses_up_no_tries(memory: Commonplace, kills: int) -> None:
    ids = [f"i{number}" for number in range(160)]
    memory.record_interactions([told(name, f"I own {number} boats.") for number, name in enumerate(ids, 2)])

    def killed(_day: Day, _view: MemoryView) -> list[Decision]:
        raise KeyboardInterrupt

    for _ in range(kills):
        with suppress(KeyboardInterrupt):  # each fourth night leaves the day, and ends
            list(nights_of(memory, killed).nightly())
    assert {state for state, _ in states(memory, *ids)} == {"pending"}
    for _ in range(2):  # the first may leave a day in which the run was stopped three times
        list(nights_of(memory, all_new).nightly())
    assert set(states(memory, *ids)) == {("read", 0)}


def test_what_is_read_one_by_one_follows_upon_what_was_read_before_it(memory: Commonplace) -> None:
    memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
    said = ["I live in Munich.", "Sorry, I live in Hamburg.", "I have a cat.", "I have a dog.", "poison"]
    memory.record_interactions([told(f"c{number}", text) for number, text in enumerate(said)])

    def decide(day: Day, view: MemoryView) -> Iterator[Decision]:
        for one in poisoned(day, view):
            home = [memory.memory_id for memory in view.similar("I live in Berlin.") if "live" in memory.content]
            if "live" in one.says:
                yield replace(one, operation="UPDATE", targets=tuple(home))
            else:
                yield replace(one, candidate=replace(one.candidate, key="pet"))

    (run,) = nights_of(memory, lambda day, view: list(decide(day, view))).nightly()
    assert {one.outcome for one in run.operations} == {"applied"}
    assert current(memory) == ["I have a cat.", "I have a dog.", "Sorry, I live in Hamburg."]
    assert memory.read_memory("personal_context").count == 3


def test_a_run_that_dies_while_it_marks_what_it_read_counts_a_failure_once(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.record_interactions([told("a", "I live in Berlin.")])
    nights = nights_of(memory, Script(lambda *_: [], unread=("a",)))
    closes = type(nights.context.night.runs).close

    def marks_and_dies(runs: Any, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        closes(runs, run.model_copy(update={"status": "running"}), marks, fence)  # as a table does, batch by batch
        if marks:
            raise KeyboardInterrupt

    with monkeypatch.context() as dying:
        dying.setattr(type(nights.context.night.runs), "close", marks_and_dies)
        with pytest.raises(KeyboardInterrupt):
            list(nights.nightly())
    assert states(memory, "a") == [("pending", 1)]
    list(nights_of(memory, Script(lambda *_: [], unread=("a",))).nightly())
    assert states(memory, "a") == [("pending", 1)]


def test_a_run_that_kept_something_of_what_stays_unread_did_not_fail(memory: Commonplace) -> None:
    memory.record_interactions([told("a", "I live in Berlin.")])
    (run,) = nights_of(memory, Script(all_new, unread=("a",))).nightly()
    assert (run.status, run.error, run.unread) == ("done", None, ("a",))
    assert states(memory, "a") == [("pending", 1)]


def test_what_two_runs_could_not_read_is_told_to_the_third(memory: Commonplace) -> None:
    memory.record_interactions([told("a", "I live in Berlin.")])
    script = Script(lambda *_: [], unread=("a",))
    for _ in range(3):
        list(nights_of(memory, script).nightly())
    assert script.tired == [frozenset(), frozenset(), frozenset({"a"})]
    assert states(memory, "a") == [("read", 2)]


def test_more_than_one_run_can_read_is_read_by_several_in_one_night(
    memory: Commonplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(steps, "MOST_INTERACTIONS", 2)
    memory.record_interactions([told(f"d{n}", f"I own {n} bicycles.") for n in range(5)])
    runs = list(nights_of(memory, Script(all_new, unread=("d0",))).nightly())
    assert [run.interactions for run in runs] == [("d0", "d1"), ("d2", "d3"), ("d4",)]
    assert states(memory, *(f"d{n}" for n in range(5))) == [("pending", 1), *[("read", 0)] * 4]


def test_progress_is_told_in_interactions(memory: Commonplace) -> None:
    memory.record_interactions([told("t", "I live in Berlin.", time=TUESDAY), told("w", "I play the cello.", time=WEDNESDAY)])
    seen: list[tuple[int, int]] = []
    list(nights_of(memory, all_new).nightly(progress=lambda done, total: seen.append((done, total))))
    assert seen == [(1, 2), (2, 2)]


def test_a_night_that_may_not_go_on_is_taken_up_where_it_was(memory: Commonplace) -> None:
    memory.record_interactions([told("t", "I live in Berlin.", time=TUESDAY), told("w", "I play the cello.", time=WEDNESDAY)])
    script, allowed = Script(all_new), [True, False]
    (stopped,) = replace(nights_of(memory, script), may_continue=lambda: allowed.pop(0)).nightly()
    assert (stopped.status, current(memory)) == ("running", ["I live in Berlin."])
    with pytest.raises(CommonplaceError, match="nightly finishes it"):
        memory.undo_run(stopped.run_id)
    (finished,) = nights_of(memory, script).nightly()
    assert (finished.run_id, finished.status) == (stopped.run_id, "done")
    assert script.days == ["2026-05-19", "2026-05-20"]
    assert [one.outcome for one in finished.operations] == ["applied", "applied"]
    assert finished.candidates == 2


def test_where_nothing_can_be_stored_a_run_waits_and_no_interaction_is_blamed(memory: Commonplace) -> None:
    memory.record_interactions([told("d", "I live in Berlin.")])

    def unlucky(day: Day, view: MemoryView) -> list[Decision]:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "scripted")

    with pytest.raises(CommonplaceError, match="scripted"):
        list(nights_of(memory, unlucky).nightly())
    assert states(memory, "d") == [("pending", 0)]
    begun = memory.run("last")
    (run,) = nights_of(memory, all_new).nightly()
    assert (run.run_id, run.status, begun.status) == (begun.run_id, "done", "running")


class Killed(BaseException):
    """Stands for the end of the process."""


def test_a_day_that_stops_every_run_is_left_and_the_next_is_read(memory: Commonplace) -> None:
    memory.record_interactions([told("t", "poison", time=TUESDAY), told("w", "I play the cello.", time=WEDNESDAY)])

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        if day.utterances[0].text == "poison":
            raise Killed
        return all_new(day, view)

    for _ in range(3):
        with pytest.raises(Killed):
            list(nights_of(memory, decide).nightly())
    (run,) = nights_of(memory, decide).nightly()
    assert (run.unread, current(memory)) == (("t",), ["I play the cello."])
    assert states(memory, "t", "w") == [("pending", 0), ("read", 0)]


def test_only_one_run_of_a_user_is_at_work(
    memory: Commonplace, clock: Clock, open_memory: Callable[..., Commonplace]
) -> None:
    memory.record_interactions([told("d", "I live in Berlin.")])
    other = open_memory(now=clock)
    failures: list[ErrorCode] = []

    def decide(day: Day, view: MemoryView) -> list[Decision]:
        with pytest.raises(CommonplaceError) as failed:
            other.nightly()
        failures.append(failed.value.code)
        return all_new(day, view)

    list(nights_of(memory, decide).nightly())
    assert failures == [ErrorCode.CONFLICT]
    assert current(memory) == ["I live in Berlin."]
    assert open_memory("ben", now=clock).nightly().status == "done"


def test_who_lost_the_lease_writes_nothing_and_ends_quietly(
    memory: Commonplace, clock: Clock, open_memory: Callable[..., Commonplace]
) -> None:
    memory.record_interactions([told("d", "I live in Berlin.")])
    other = open_memory(now=clock)
    taken: list[Run] = []

    def slowly(day: Day, view: MemoryView) -> list[Decision]:
        clock.now += timedelta(minutes=11)
        taken.extend(nights_of(other, all_new).nightly())
        return all_new(day, view)

    (lost,) = nights_of(memory, slowly).nightly()
    assert (lost.status, lost.run_id) == ("running", taken[0].run_id)
    assert taken[0].status == "done"
    assert current(memory) == ["I live in Berlin."]
    assert memory.run("last").status == "done"


def test_a_long_run_keeps_its_lease(memory: Commonplace, clock: Clock) -> None:
    times = [f"2026-05-{day}T09:00:00+02:00" for day in range(10, 14)]
    memory.record_interactions([told(f"d{at}", f"I own {n} bicycles.", time=at) for n, at in enumerate(times)])

    def slowly(day: Day, view: MemoryView) -> list[Decision]:
        clock.now += timedelta(minutes=6)
        return all_new(day, view)

    (run,) = nights_of(memory, slowly).nightly()
    assert (run.status, len(current(memory))) == ("done", 4)


def test_no_words_stay_with_a_run_that_is_closed(memory: Commonplace) -> None:
    memory.record_interactions([told("d", "I live in Berlin.")])
    (run,) = nights_of(memory, all_new).nightly()
    context = memory.nights().context
    assert "Berlin" not in run.model_dump_json()
    assert context.night.parts.part(context.user_id, run.run_id, "plan/2026-05-20") is None


def test_texts_are_dropped_30_days_after_they_were_read(memory: Commonplace, clock: Clock) -> None:
    memory.record_interactions([told("d", "I live in Berlin.")])
    list(nights_of(memory, all_new).nightly())
    context = memory.nights().context

    def text() -> object:
        return context.night.ledger.entries(context.user_id, ["d"])[0].interaction

    clock.now += timedelta(days=29)
    assert memory.nightly().notes == ("nothing is pending",)
    assert text() is not None
    memory.store_memory("I like tea.")  # what the user does confirms the clock
    clock.now += timedelta(days=2)
    memory.nightly()
    assert text() is None
    assert states(memory, "d") == [("read", 0)]


def test_an_unknown_mode_is_refused(memory: Commonplace) -> None:
    with pytest.raises(CommonplaceError, match="mode"):
        memory.nightly("dreams")  # type: ignore[arg-type]
