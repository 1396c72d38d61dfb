"""What a model decides about candidates: one decision each, on memories that it was shown, checked by code."""

import json
import re
from typing import Any

import pytest

from commonplace.extraction.candidate import Reading
from commonplace.llm.prompts import instructions
from commonplace.nightly import pipeline
from commonplace.nightly.pipeline import read_by_pipeline
from commonplace.ports.values import ModelUnavailable
from tests.unit.nightly.scripted import NOW, InMemoryView, ScriptedModel, Step, day_of, memory, metered, says

LONDON = memory("mem_LONDON", "The user lives in London with Anna.", key="home_city")
RUNS = memory("mem_RUNS", "The user runs every morning.")
TEA = memory("mem_TEA", "The user drinks green tea.")
VIEW = InMemoryView(LONDON, RUNS, TEA)
SAID = "we live in Leeds now, Anna and I"
MOVED = {
    "message": 1,
    "evidence": SAID,
    "content": "The user lives in Leeds with Anna now.",
    "confidence": 0.95,
    "corrects": True,
}


def read(*decisions: Any, proposal: dict[str, Any] = MOVED, said: str = SAID) -> tuple[Reading, ScriptedModel]:
    answers: list[Step] = [one if isinstance(one, Exception) else says({"decisions": [one]}) for one in decisions]
    model, scripted = metered(says({"memories": [proposal]}), *answers)
    return read_by_pipeline(day_of(said), VIEW, model, NOW)[0], scripted


def choice(operation: str, target: str | None = None, content: str | None = None, candidate: object = 0) -> dict[str, Any]:
    return {"candidate": candidate, "operation": operation, "target_memory_id": target, "updated_content": content}


def by_rules() -> Reading:
    return read(ModelUnavailable("Claude answered 529"))[0]


def test_a_candidate_is_shown_with_the_memories_on_its_subject() -> None:
    _, model = read(choice("ADD"))
    asked = model.asked[1]
    found = re.match(
        r"<memories-(\w+)>\n(.*)\n</memories-\1>\n<candidates-\1>\n(.*)\n</candidates-\1>\n\n.*<candidates-\1>",
        asked.text,
        re.DOTALL,
    )
    assert found is not None
    assert [json.loads(line) for line in found[2].splitlines()] == [
        {"memory_id": "mem_LONDON", "content": "The user lives in London with Anna.", "since": "2026-01-04"}
    ]
    (candidate,) = (json.loads(line) for line in found[3].splitlines())
    assert candidate == {
        "candidate": 0,
        "says": MOVED["content"],
        "evidence": SAID,
        "date": "2026-03-02",
        "confidence": 0.95,
        "corrects": True,
        "similar": ["mem_LONDON"],
    }
    assert asked.instructions == instructions("decide")
    assert asked.schema is not None


def test_an_update_closes_its_target_and_carries_the_joined_content() -> None:
    (decision,) = read(choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna."))[0].decisions
    assert (decision.operation, decision.targets) == ("UPDATE", ("mem_LONDON",))
    assert decision.content == "The user lives in Leeds with Anna."


def test_a_deletion_closes_its_target_and_keeps_the_candidate() -> None:
    stopped = {"message": 1, "evidence": "I don't run anymore, my knee", "confidence": 0.9, "corrects": True}
    stopped["content"] = "The user does not run any more because of their knee."
    reading, _ = read(choice("DELETE", "mem_RUNS"), proposal=stopped, said="I don't run anymore, my knee hurts")
    (decision,) = reading.decisions
    assert (decision.operation, decision.targets) == ("DELETE", ("mem_RUNS",))
    assert decision.candidate.content == stopped["content"]


def test_nothing_to_do_is_a_decision_too() -> None:
    (decision,) = read(choice("NOOP"))[0].decisions
    assert decision.operation == "NOOP"


@pytest.mark.parametrize(
    "invalid",
    [
        choice("UPDATE", "mem_TEA", "The user lives in Leeds with Anna now."),  # not beside this candidate
        choice("UPDATE", "mem_OTHER", "The user lives in Leeds with Anna now."),
        choice("UPDATE", None, "The user lives in Leeds with Anna now."),
        choice("UPDATE", "mem_LONDON", ""),
        choice("UPDATE", "mem_LONDON", "The user lives in Paris with Anna."),
        choice("UPDATE", "mem_LONDON", "x" * 1_001),
        choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna\x00."),
        choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna\ud83d."),
        choice("DELETE", "mem_OTHER"),
        choice("FORGET", "mem_LONDON"),
        choice("ERASE"),
        choice("ADD", candidate=7),
        choice("ADD", candidate="0"),
        "ADD",
        None,
    ],
)
def test_an_invalid_decision_goes_to_the_rules(invalid: object) -> None:
    assert read(invalid)[0].decisions == by_rules().decisions


def test_an_update_that_loses_a_name_goes_to_the_rules() -> None:
    proposal = {
        **MOVED,
        "corrects": False,
        "evidence": "I drink green tea from Uji",
        "content": "The user drinks green tea from Uji.",
    }
    view = InMemoryView(memory("mem_TEA", "The user drinks green tea from Kyoto with 2 spoons of sugar."))
    model, _ = metered(
        says({"memories": [proposal]}),
        says({"decisions": [choice("UPDATE", "mem_TEA", "The user drinks green tea from Uji.")]}),
    )
    reading, _ = read_by_pipeline(day_of("I drink green tea from Uji"), view, model, NOW)
    assert [one.operation for one in reading.decisions] == ["ADD"]


def test_a_missing_decision_goes_to_the_rules() -> None:
    model, _ = metered(says({"memories": [MOVED]}), says({"decisions": []}))
    assert read_by_pipeline(day_of(SAID), VIEW, model, NOW)[0].decisions == by_rules().decisions


def test_the_first_decision_about_a_candidate_counts() -> None:
    both = says({"decisions": [choice("NOOP"), choice("ADD")]})
    model, _ = metered(says({"memories": [MOVED]}), both)
    assert [one.operation for one in read_by_pipeline(day_of(SAID), VIEW, model, NOW)[0].decisions] == ["NOOP"]


def test_a_decision_with_half_a_character_costs_itself_only() -> None:
    both = says({"decisions": [choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna\ud83d."), choice("NOOP")]})
    model, _ = metered(says({"memories": [MOVED]}), both)
    assert [one.operation for one in read_by_pipeline(day_of(SAID), VIEW, model, NOW)[0].decisions] == ["NOOP"]


def test_one_memory_is_closed_by_one_decision() -> None:
    second = {**MOVED, "message": 2, "evidence": "my sister lives in York", "content": "The user's sister lives in York."}
    updates = [
        choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna."),
        choice("DELETE", "mem_LONDON", candidate=1),
    ]
    model, _ = metered(says({"memories": [MOVED, second]}), says({"decisions": updates}))
    reading, _ = read_by_pipeline(day_of(SAID, "my sister lives in York"), VIEW, model, NOW)
    assert [one.operation for one in reading.decisions] == ["UPDATE", "ADD"]


def test_a_candidate_older_than_its_target_closes_nothing() -> None:
    view = InMemoryView(memory("mem_LONDON", "The user lives in London with Anna.", event_time=NOW))
    model, _ = metered(
        says({"memories": [MOVED]}),
        says({"decisions": [choice("UPDATE", "mem_LONDON", "The user lives in Leeds with Anna.")]}),
    )
    reading, _ = read_by_pipeline(day_of(SAID), view, model, NOW)
    assert not [target for one in reading.decisions for target in one.targets]


def test_what_has_nothing_similar_is_not_asked_about() -> None:
    new = {**MOVED, "evidence": "I play the oboe", "content": "The user plays the oboe.", "corrects": False}
    reading, model = read(proposal=new, said="I play the oboe")
    assert len(model.asked) == 1
    assert [one.operation for one in reading.decisions] == ["ADD"]


def test_when_the_model_is_gone_by_then_the_rules_decide_and_the_notes_say_so() -> None:
    reading = by_rules()
    assert len(reading.decisions) == 1
    assert reading.notes == ("decided by rules: Claude answered 529",)


def test_many_candidates_are_decided_in_groups(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pipeline, "_MOST_CANDIDATES", 5)
    said = [f"my dog number {n} is called Rex{n}" for n in range(9)]
    items = [{**MOVED, "message": n + 1, "evidence": text, "content": f"The user's dog number {n} is called Rex{n}.", "corrects": False}
             for n, text in enumerate(said)]  # fmt: skip
    view = InMemoryView(memory("mem_DOG", "The user has a dog."))
    none = says({"decisions": []})
    model, scripted = metered(says({"memories": items}), none, none)
    reading, _ = read_by_pipeline(day_of(*said), view, model, NOW)
    assert len(reading.decisions) == 9
    assert len(scripted.asked) == 3
