"""Which mode reads a day, and what becomes of what a model does not read."""

from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from commonplace.domain.runs import Dropped, Mode
from commonplace.extraction.candidate import Candidate, Decision, MemoryView, Reading
from commonplace.extraction.days import Day, SeenTitle
from commonplace.nightly.readers import ModeReader, mode_of
from commonplace.ports.night import Allowance, NightPorts
from commonplace.ports.values import ModelUnavailable
from tests.unit.nightly.scripted import (
    DATE,
    MORNING,
    NOW,
    InMemoryView,
    Kept,
    Purse,
    ScriptedModel,
    Step,
    day_of,
    memory,
    says,
)

DAY = replace(
    day_of("I play the oboe", "I keep bees in Kent"),
    titles=(SeenTitle("c1", "Reeds", "discussed", MORNING), SeenTitle("s1", "Bees", "saved", MORNING)),
)
OBOE = {"message": 1, "evidence": "I play the oboe", "content": "The user plays the oboe.", "confidence": 0.9}
LATER, NEVER = ModelUnavailable("Claude answered 529"), ModelUnavailable("Claude answered 401", misconfigured=True)


@dataclass
class Rules:
    """Rules that keep every word, and tell what they were given to read."""

    read_days: list[Day] = field(default_factory=list)
    views: list[MemoryView] = field(default_factory=list)

    def read(self, day: Day, view: MemoryView) -> Reading:
        self.read_days.append(day)
        self.views.append(view)
        made = [
            Decision(Candidate(one.text, one.interaction_id, one.position, one.text, 0.9), "ADD", why="rules")
            for one in day.utterances
        ]
        dropped = tuple(Dropped(interaction_id=met.interaction_id, why="a title") for met in day.titles)
        return Reading(tuple(made), dropped, candidates=len(made) + len(dropped))


def read(
    mode: Mode, *script: Step, model: bool = True, tired: frozenset[str] = frozenset(), **allowed: Any
) -> tuple[Reading, Rules, ScriptedModel]:
    scripted, rules, nowhere = ScriptedModel(list(script)), Rules(), object()
    ports = NightPorts(
        ledger=nowhere,  # type: ignore[arg-type]
        leases=nowhere,  # type: ignore[arg-type]
        runs=nowhere,  # type: ignore[arg-type]
        parts=nowhere,  # type: ignore[arg-type]
        budget=Purse(),
        model=scripted if model else None,
        allowance=Allowance(**allowed),
    )
    modes = ModeReader(rules, ports, "local|ann", NOW)
    return modes.read_day(mode, DAY, InMemoryView(memory("mem_A", "The user is called Ann.")), Kept(), tired), rules, scripted


def contents(reading: Reading) -> set[str]:
    return {one.candidate.content for one in reading.decisions}


@pytest.mark.parametrize(
    ("wanted", "model", "taken"),
    [
        (None, None, "rules"),
        (None, ScriptedModel([]), "pipeline"),
        ("agent", ScriptedModel([]), "agent"),
        ("rules", ScriptedModel([]), "rules"),
        ("agent", None, "rules"),
    ],
)
def test_a_model_makes_it_the_pipeline_and_none_makes_it_rules(
    wanted: Mode | None, model: ScriptedModel | None, taken: Mode
) -> None:
    assert mode_of(wanted, model) == taken


def test_without_a_model_rules_read_and_say_so() -> None:
    reading, rules, _ = read("pipeline", model=False)
    assert rules.read_days == [DAY]
    assert reading.notes == ("there is no model: read by rules",)


def test_rules_ask_no_model() -> None:
    reading, rules, model = read("rules")
    assert (rules.read_days, model.asked, reading.notes, reading.calls) == ([DAY], [], (), 0)


@pytest.mark.parametrize("mode", ["pipeline", "agent"])
def test_titles_are_read_by_rules_whatever_the_mode(mode: Mode) -> None:
    answer = says({"memories": [OBOE]}, tokens=(500, 20)) if mode == "pipeline" else says("done", tokens=(500, 20))
    reading, rules, _ = read(mode, answer)
    assert rules.read_days == [Day(DATE, (), DAY.titles)]
    assert contents(reading) == ({"The user plays the oboe."} if mode == "pipeline" else set())
    assert (reading.calls, reading.input_tokens, reading.output_tokens) == (1, 500, 20)
    assert (reading.unread, reading.notes) == ((), ())


@pytest.mark.parametrize("mode", ["pipeline", "agent"])
@pytest.mark.parametrize(
    ("script", "allowed", "why"),
    [([NEVER], {}, "Claude answered 401"), ([], {"user_tokens": 10}, "the budget of tokens is spent"), ([], {"all_tokens": 10}, "the budget of tokens is spent")],
)  # fmt: skip
def test_where_waiting_does_not_help_rules_read_at_once(
    mode: Mode, script: list[Step], allowed: dict[str, Any], why: str
) -> None:
    reading, rules, _ = read(mode, *script, **allowed)
    assert rules.read_days == [DAY]
    assert contents(reading) == {"I play the oboe", "I keep bees in Kent"}
    assert (reading.unread, reading.notes) == ((), (f"read by rules: {why}",))


@pytest.mark.parametrize("mode", ["pipeline", "agent"])
@pytest.mark.parametrize("step", [LATER, says("no", "refusal")], ids=["down", "refusal"])
def test_where_waiting_may_help_the_day_stays_unread(mode: Mode, step: Step) -> None:
    reading, rules, _ = read(mode, step)
    assert reading.unread == ("c1", "c2")
    assert reading.decisions == ()
    assert rules.read_days == [Day(DATE, (), DAY.titles[1:])]  # the title of a discussion that stays is read with it
    assert reading.notes[0].startswith("left unread: ")


@pytest.mark.parametrize("mode", ["pipeline", "agent"])
def test_what_two_runs_could_not_read_rules_read_now(mode: Mode) -> None:
    reading, rules, _ = read(mode, LATER, tired=frozenset({"c1"}))
    assert reading.unread == ("c2",)
    assert contents(reading) == {"I play the oboe"}
    assert rules.read_days == [Day(DATE, DAY.utterances[:1], DAY.titles)]


@pytest.mark.parametrize("tired", [frozenset[str](), frozenset({"c2"})], ids=["refused", "third night"])
def test_what_rules_read_is_theirs_alone(tired: frozenset[str]) -> None:
    bees = {**OBOE, "message": 2, "evidence": "I keep bees in Kent", "content": "The user keeps bees in Kent."}
    reading, rules, _ = read(
        "pipeline", says({"memories": [OBOE, bees]}, "max_tokens"), LATER if tired else NEVER, tired=tired
    )
    assert contents(reading) == {"The user plays the oboe.", "I keep bees in Kent"}
    assert [one.interaction_id for one in rules.read_days[0].utterances] == ["c2"]


def test_what_the_model_closed_is_closed_for_the_rules() -> None:
    called = memory("mem_A", "The user plays the flute.")
    scripted = ScriptedModel([
        says({"memories": [{**OBOE, "evidence": "I play the oboe", "corrects": True}]}),
        says({"decisions": [{"candidate": 0, "operation": "DELETE", "target_memory_id": "mem_A"}]}),
    ])  # fmt: skip
    rules, nowhere = Rules(), object()
    ports = NightPorts(nowhere, nowhere, nowhere, nowhere, Purse(), scripted)  # type: ignore[arg-type]
    ModeReader(rules, ports, "local|ann", NOW).read_day("pipeline", DAY, InMemoryView(called), Kept())
    (view,) = rules.views
    assert view.get(["mem_A"]) == view.similar("flute") == view.in_section("personal_context") == []
