"""Agent mode: a model with the memory tools in a loop, over a plan."""

import json
from typing import Any

import pytest

from commonplace.extraction.candidate import Reading
from commonplace.extraction.days import Day
from commonplace.llm.prompts import instructions
from commonplace.nightly.agent import read_by_agent, tool_list
from commonplace.nightly.budget import Unread
from commonplace.ports.night import Allowance
from commonplace.ports.values import ModelUnavailable, Reply
from tests.unit.nightly.scripted import (
    NOW,
    InMemoryView,
    Kept,
    Purse,
    ScriptedModel,
    Step,
    calls,
    day_of,
    memory,
    metered,
    says,
)

MOVED = "btw we live in Leeds now, Anna and I"
REX = "my dog Rex turned 5 in May"
DAY = day_of(["hello", MOVED], [REX])
LONDON = memory("mem_LONDON", "The user lives in London with Anna.", key="home_city")
RUNS = memory("mem_RUNS", "The user runs every morning.")
DONE = says("done")


def read(
    *script: Step, day: Day = DAY, view: InMemoryView | None = None, **world: Any
) -> tuple[Reading, tuple[Unread, ...], ScriptedModel]:
    model, scripted = metered(*script, **world)
    reading, gaps = read_by_agent(day, view or InMemoryView(LONDON, RUNS), model, NOW)
    return reading, gaps, scripted


def results(model: ScriptedModel, turn: int = -1) -> list[tuple[Any, bool]]:
    """What the calls before that turn were answered."""
    message = model.asked[turn].messages[-1]
    assert message["role"] == "user"
    return [(json.loads(block["content"]), block["is_error"]) for block in message["content"]]


def search(query: str) -> tuple[str, dict[str, Any]]:
    return "search_memory", {"query": query}


def write(key: str, value: str, evidence: str, interaction_id: str = "c2", **more: Any) -> tuple[str, dict[str, Any]]:
    given = {"key": key, "value": value, "category": "personal_context", "durability": "durable"}
    return "write_memory", {**given, "interaction_id": interaction_id, "evidence": evidence, **more}


def update(key: str, value: str, evidence: str, interaction_id: str = "c1") -> tuple[str, dict[str, Any]]:
    return "update_memory", {"key": key, "value": value, "interaction_id": interaction_id, "evidence": evidence}


def delete(key: str, evidence: str, interaction_id: str = "c1") -> tuple[str, dict[str, Any]]:
    return "delete_memory", {"key": key, "interaction_id": interaction_id, "evidence": evidence}


DOG = write("pet_rex", "The user's dog Rex turned 5 in May.", REX)
HOME = update("home_city", "The user lives in Leeds with Anna now.", MOVED)


# The loop


def test_the_plan_is_what_the_tools_were_called_for() -> None:
    reading, gaps, model = read(calls(search("dog"), search("where the user lives")), calls(DOG, HOME), DONE)
    added, updated = reading.decisions
    assert (added.operation, added.candidate.key, added.candidate.content) == (
        "ADD",
        "pet_rex",
        "The user's dog Rex turned 5 in May.",
    )
    assert (added.candidate.interaction_id, added.candidate.position, added.candidate.evidence) == ("c2", 0, REX)
    assert (added.candidate.section, added.candidate.durability) == ("personal_context", "durable")
    assert (updated.operation, updated.targets, updated.candidate.key) == ("UPDATE", ("mem_LONDON",), "home_city")
    assert (updated.candidate.interaction_id, updated.candidate.position) == ("c1", 1)
    assert updated.candidate.event_time == DAY.utterances[1].time
    assert (gaps, len(model.asked)) == ((), 3)


def test_it_is_told_the_day_its_task_and_its_tools() -> None:
    _, _, model = read(DONE)
    asked = model.asked[0]
    assert asked.instructions == instructions("agent")
    assert asked.tools == tool_list()
    assert MOVED in asked.text
    assert '"interaction_id": "c1"' in asked.text


def test_changes_need_two_more_fields_than_elsewhere() -> None:
    required = {tool["name"]: set(tool["input_schema"]["required"]) for tool in tool_list()}
    assert required["write_memory"] == {"key", "value", "category", "durability", "interaction_id", "evidence"}
    assert required["update_memory"] == {"key", "value", "interaction_id", "evidence"}
    assert required["delete_memory"] == {"key", "interaction_id", "evidence"}
    assert required["search_memory"] == {"query"}
    assert required["read_memory"] == {"category"}


def test_results_of_parallel_calls_go_back_in_one_message_in_their_order() -> None:
    _, _, model = read(calls(search("dog"), ("no_such_tool", {}), search("London")), DONE)
    sent = model.asked[1].messages
    assert [message["role"] for message in sent] == ["user", "assistant", "user"]
    assert [block["tool_use_id"] for block in sent[2]["content"]] == ["toolu_0", "toolu_1", "toolu_2"]
    assert [sent_back for _, sent_back in results(model)] == [False, True, False]


def test_what_the_model_said_goes_back_as_it_came_but_for_empty_texts() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "c2ln"}
    call = {"type": "tool_use", "id": "toolu_9", "name": "search_memory", "input": {"query": "dog"}}
    _, _, model = read(Reply((thought, {"type": "text", "text": ""}, call), "tool_use", 1, 1), DONE)
    assert model.asked[1].messages[1] == {"role": "assistant", "content": [thought, call]}


def test_a_day_without_own_words_asks_nothing() -> None:
    _, gaps, model = read(day=day_of(["A: Hello!"]))
    assert (gaps, model.asked) == ((), [])


# What the tools see


def test_a_search_sees_the_record_and_the_plan() -> None:
    _, _, model = read(calls(search("dog lives")), calls(DOG, HOME), calls(search("dog"), search("where he lives")), DONE)
    (dog, _), (home, _) = results(model)
    assert [entry["key"] for entry in dog["memories"]] == ["pet_rex"]
    assert home["memories"] == [
        {"key": "home_city", "value": "The user lives in Leeds with Anna now.", "section": "personal_context"}
    ]


def test_reading_a_section_sees_the_record_and_the_plan() -> None:
    _, _, model = read(calls(search("dog")), calls(DOG), calls(("read_memory", {"category": "personal_context"})), DONE)
    ((found, _),) = results(model)
    assert [entry["key"] for entry in found["memories"]] == ["pet_rex", "home_city", "mem_runs"]


def test_a_memory_without_a_key_is_called_by_its_id() -> None:
    stopped = "I don't run anymore, my knee hurts"
    script = calls(search("run")), calls(delete("mem_runs", stopped)), DONE
    reading, _, _ = read(*script, day=day_of(stopped))
    (decision,) = reading.decisions
    assert (decision.operation, decision.targets, decision.candidate.content) == ("DELETE", ("mem_RUNS",), stopped)


def test_what_is_closed_is_not_found_any_more() -> None:
    stopped = "I don't run anymore, my knee hurts"
    script = calls(search("run")), calls(delete("mem_runs", stopped)), calls(search("run"), delete("mem_runs", stopped)), DONE
    _, _, model = read(*script, day=day_of(stopped))
    (found, _), (again, sent_back) = results(model)
    assert found["memories"] == []
    assert sent_back
    assert "look for it first" in again["error"]


def test_a_planned_memory_can_be_changed_and_taken_out_again() -> None:
    other = update("pet_rex", "The user has a dog, Rex.", REX, "c2")
    reading, _, _ = read(calls(search("dog")), calls(DOG), calls(other), DONE)
    assert [(one.operation, one.candidate.content) for one in reading.decisions] == [("ADD", "The user has a dog, Rex.")]
    reading, _, _ = read(calls(search("dog")), calls(DOG), calls(delete("pet_rex", REX, "c2")), DONE)
    assert reading.decisions == ()


def test_a_planned_update_that_is_changed_again_still_closes_its_target() -> None:
    again = update("home_city", "The user now lives in Leeds, with Anna.", MOVED)
    reading, _, _ = read(calls(search("lives")), calls(HOME), calls(again), DONE)
    (decision,) = reading.decisions
    assert (decision.operation, decision.targets) == ("UPDATE", ("mem_LONDON",))
    assert decision.candidate.content == "The user now lives in Leeds, with Anna."


def test_a_key_that_was_closed_is_not_taken_again_in_the_same_night() -> None:
    moved = "we don't live in London anymore, we live in Leeds now"
    again = write("home_city", "The user lives in Leeds now.", moved, "c1")
    reading, _, model = read(calls(search("lives")), calls(delete("home_city", moved), again), DONE, day=day_of(moved))
    assert [one.operation for one in reading.decisions] == ["DELETE"]
    assert "key is taken" in results(model)[1][0]["error"]


def test_what_is_known_is_not_written_twice() -> None:
    same = write("dog", "The user's dog Rex turned 5 in May.", REX)
    reading, _, model = read(calls(search("dog")), calls(DOG), calls(same), DONE)
    assert len(reading.decisions) == 1
    assert results(model) == [({"written": False, "why": "known already"}, False)]


# What is sent back


@pytest.mark.parametrize(
    "call", [DOG, update("home_city", "The user lives in Leeds with Anna now.", MOVED)], ids=["write", "update"]
)
@pytest.mark.parametrize("looked", [[], [search("music")]], ids=["never", "elsewhere"])
def test_a_change_without_a_look_at_its_subject_is_sent_back(call: tuple[str, Any], looked: list[Any]) -> None:
    reading, _, model = read(calls(*looked, call), DONE)
    assert reading.decisions == ()
    answer, sent_back = results(model)[-1]
    assert sent_back
    assert "look first" in answer["error"]


def test_a_look_after_the_change_does_not_count_but_one_before_it_in_the_same_answer_does() -> None:
    reading, _, model = read(calls(DOG, search("dog"), DOG), DONE)
    assert [sent_back for _, sent_back in results(model)] == [True, False, False]
    assert len(reading.decisions) == 1


def test_sharing_only_the_user_is_no_look() -> None:
    reading, _, _ = read(calls(search("the user"), DOG), DONE, view=InMemoryView())
    assert reading.decisions == ()


@pytest.mark.parametrize(
    ("call", "why"),
    [
        (write("home_city", "The user's dog Rex turned 5 in May.", REX), "key is taken"),
        (write("dog", "The user's dog Rex turned 5 in May.", "my dog Rex is 7"), "own words"),
        (write("dog", "The user's dog Rex turned 5 in May.", REX, "c1"), "own words"),
        (write("dog", "The user's dog Rex turned 5 in May.", REX, "c9"), "own words"),
        (write("dog", "The user's dog Rex turned 6 in May.", REX), "not kept"),
        (write("dog", "dog " * 400, REX), "value"),
        (write("not a key", "The user's dog Rex turned 5 in May.", REX), "key"),
        (write("dog", "The user's dog Rex turned 5 in May.", REX, confidence=2.0), "confidence"),
        (write("dog", "The user's dog Rex turned 5 in May.", REX, user_id="local|bob"), "user_id"),
        (("write_memory", {"key": "dog", "value": "The user's dog Rex turned 5 in May."}), "category"),
        (("write_memory", None), "item"),
        (("forget_everything", {}), "no such tool"),
        ((None, {}), "no such tool"),
        (update("pet_rex", "The user's dog Rex turned 5 in May.", REX, "c2"), "look for it first"),
        (update("home_city", "The user lives in Leeds now.", MOVED), "lost"),
        (update("home_city", "The user has a dog, Rex.", REX, "c2"), "not kept"),
        (delete("home_city", REX, "c2"), "says nothing about the memory"),
    ],
)
def test_what_does_not_hold_is_sent_back_and_changes_nothing(call: Any, why: str) -> None:
    reading, _, model = read(calls(search("dog lives")), calls(call), DONE)
    assert reading.decisions == ()
    ((answer, sent_back),) = results(model)
    assert sent_back
    assert why in answer["error"]


def test_a_wish_to_forget_erases_and_anything_else_only_closes() -> None:
    wish = "please forget that I run every morning"
    reading, _, _ = read(calls(search("run")), calls(delete("mem_runs", wish)), DONE, day=day_of(wish))
    (decision,) = reading.decisions
    assert (decision.operation, decision.targets, decision.candidate.forgets) == ("FORGET", ("mem_RUNS",), True)


def test_a_wish_to_forget_one_thing_erases_no_other() -> None:
    wish = "please forget that I run every morning"
    reading, _, model = read(calls(search("lives in London")), calls(delete("home_city", wish)), DONE, day=day_of(wish))
    assert [one.targets for one in reading.decisions] == [("mem_RUNS",)]
    assert results(model)[0][1]


def test_an_update_keeps_where_a_memory_stands_and_for_how_long() -> None:
    ends = "the sale at Ikea ends on 9 March"
    later = "the sale at Ikea ends on 12 March, not on the 9th"
    sale = memory("mem_SALE", "The sale at Ikea ends on 9 March.", section="work_context", durability="daily")
    told = update("mem_sale", "The sale at Ikea ends on 12 March.", later)
    reading, _, _ = read(calls(search("sale at Ikea")), calls(told, told), DONE, day=day_of(later), view=InMemoryView(sale))
    (changed,) = [one.candidate for one in reading.decisions]
    assert (changed.key, changed.section, changed.durability) == (None, "work_context", "daily")
    new = write("sale", "The sale at Ikea ends on 9 March.", ends, "c1", category="work_context", durability="daily")
    told = update("sale", "The sale at Ikea ends on 12 March.", later, "c2")
    reading, _, _ = read(calls(search("sale at Ikea")), calls(new, told), DONE, day=day_of(ends, later), view=InMemoryView())
    (changed,) = [one.candidate for one in reading.decisions]
    assert (changed.key, changed.section, changed.durability) == ("sale", "work_context", "daily")


def test_the_key_of_another_collection_is_another_memory() -> None:
    other = memory("mem_ELSE", "The user lives in London in the game.", key="home_city", collection="games")
    view = InMemoryView(LONDON, other)
    reading, _, model = read(calls(search("where the user lives in London")), calls(HOME), DONE, view=view)
    assert [entry["key"] for entry in results(model, 1)[0][0]["memories"]] == ["home_city", "mem_else"]
    assert [one.targets for one in reading.decisions] == [("mem_LONDON",)]


MINKA, FORGET = "I have a cat called Minka", "please forget that I have a cat called Minka"
CAT = write("pet", "The user has a cat called Minka.", MINKA, "c1")


def test_a_wish_to_forget_reaches_everything_that_says_it() -> None:
    cats = (
        memory("mem_CAT", "The user has a cat called Minka.", key="pet"),
        memory("mem_TUNA", "I have a cat called Minka, a grey one."),
    )
    call = calls(delete("pet", FORGET))
    reading, _, _ = read(calls(search("cat")), call, DONE, day=day_of(FORGET), view=InMemoryView(*cats))
    (decision,) = reading.decisions
    assert (decision.operation, set(decision.targets)) == ("FORGET", {"mem_CAT", "mem_TUNA"})


@pytest.mark.parametrize("script", [[], [calls(delete("pet", FORGET, "c2"))]], ids=["unheard", "heard"])
def test_what_is_to_be_forgotten_goes_out_of_the_plan_and_the_wish_stays(script: list[Step]) -> None:
    reading, gaps, _ = read(calls(search("cat"), CAT), *script, DONE, day=day_of(MINKA, FORGET))
    (decision,) = reading.decisions
    assert (decision.operation, decision.candidate.content) == ("NOOP", "I have a cat called Minka")
    assert decision.candidate.forgets
    assert gaps == ()


def test_what_is_said_again_after_the_wish_stays_in_the_plan() -> None:
    again = write("pet", "The user has a cat called Minka.", MINKA, "c2")
    reading, _, _ = read(calls(search("cat"), again), DONE, day=day_of(FORGET, MINKA))
    assert [(one.operation, one.candidate.forgets) for one in reading.decisions] == [("ADD", False), ("NOOP", True)]


LIVED = "please forget that I lived in London"
LEEDS = "I moved, I live in Leeds now"
HERE = InMemoryView(memory("mem_HOME", "I live in London.", key="home_city"))


def test_a_wish_reaches_what_the_plan_replaces() -> None:
    moved = update("home_city", "I live in Leeds now.", "I live in Leeds now")
    reading, _, _ = read(calls(search("I live in London")), calls(moved), DONE, day=day_of(LEEDS, LIVED), view=HERE)
    assert [(one.operation, one.targets) for one in reading.decisions] == [
        ("UPDATE", ("mem_HOME",)),
        ("FORGET", ("mem_HOME",)),
    ]


def test_a_wish_reaches_what_the_plan_ends_and_the_words_that_end_it() -> None:
    ended = delete("yoga", "I quit yoga on Mondays")
    view = InMemoryView(memory("mem_YOGA", "I do yoga on Mondays.", key="yoga"))
    day = day_of("I quit yoga on Mondays", "please forget that I did yoga")
    reading, _, _ = read(calls(search("yoga")), calls(ended), DONE, day=day, view=view)
    assert [(one.operation, one.targets) for one in reading.decisions] == [("FORGET", ("mem_YOGA",))]


def test_what_a_forgotten_value_would_replace_is_not_true_any_more() -> None:
    moved = update("home_city", "I live in Leeds now.", "I live in Leeds now")
    day = day_of(LEEDS, "please forget that I live in Leeds")
    reading, _, _ = read(calls(search("I live in London")), calls(moved), DONE, day=day, view=HERE)
    ended, wish = reading.decisions
    assert (ended.operation, ended.targets, ended.says) == ("DELETE", ("mem_HOME",), "")
    assert wish.candidate.forgets


def test_a_wish_in_what_was_not_read_waits_with_it() -> None:
    reading, gaps, _ = read(ModelUnavailable("Claude answered 529"), day=day_of(FORGET))
    assert (reading.decisions, len(gaps)) == ((), 1)


def test_what_only_sounds_like_a_wish_erases_nothing() -> None:
    day = day_of(["A: Toast the peanuts, then add the noodles.", "Remove the peanuts, please."])
    nuts = memory("mem_NUTS", "The user is allergic to peanuts.", key="nuts")
    call = calls(delete("nuts", "Remove the peanuts, please."))
    reading, _, model = read(calls(search("peanuts")), call, DONE, day=day, view=InMemoryView(nuts))
    assert reading.decisions == ()
    assert results(model)[0][1]


LONG = "I like long walks by the sea. " * 4_000


def test_what_an_earlier_part_of_the_day_planned_is_there_for_a_later_one() -> None:
    dead = "my dog Rex did not turn 5 in May but in June"
    new = update("pet_rex", "The user's dog Rex did not turn 5 in May but in June.", dead, "c3")
    script = [calls(search("dog")), calls(write("pet_rex", "The user's dog Rex turned 5 in May.", REX, "c1")), DONE, DONE]
    reading, _, model = read(*script, calls(search("dog")), calls(new), DONE, day=day_of(REX, LONG, dead))
    assert [entry["key"] for entry in results(model, 5)[0][0]["memories"]] == ["pet_rex"]
    assert [one.candidate.content for one in reading.decisions] == ["The user's dog Rex did not turn 5 in May but in June."]


def test_half_a_plan_of_a_later_part_leaves_the_earlier_one_as_it_was() -> None:
    script = [calls(search("dog")), calls(write("pet_rex", "The user's dog Rex turned 5 in May.", REX, "c1")), DONE]
    undone = calls(delete("pet_rex", LONG[:29], "c2"))
    reading, (gap,), _ = read(*script, undone, ModelUnavailable("Claude answered 529"), day=day_of(REX, LONG))
    assert [one.candidate.key for one in reading.decisions] == ["pet_rex"]
    assert gap.interactions == {"c2"}


# Where it ends


def test_a_talk_of_which_only_the_first_part_was_read_is_not_read() -> None:
    talk = [REX, *[LONG[:7_500]] * 12, "I am allergic to walnuts"]
    script = [calls(search("dog")), calls(write("pet_rex", "The user's dog Rex turned 5 in May.", REX, "c1")), DONE]
    reading, (gap,), _ = read(*script, day=day_of(talk), allowance=Allowance(agent_turns=3))
    assert [one.candidate.key for one in reading.decisions] == ["pet_rex"]
    assert (gap.interactions, gap.waits) == (frozenset({"c1"}), True)


@pytest.mark.parametrize("stop_reason", ["max_tokens", "model_context_window_exceeded"])
def test_a_call_that_was_cut_is_never_run(stop_reason: str) -> None:
    reading, _, model = read(calls(search("dog")), calls(search("lives"), DOG, stop_reason=stop_reason), DONE)
    assert reading.decisions == ()
    if stop_reason == "max_tokens":
        assert [sent_back for _, sent_back in results(model)] == [False, True]
        assert "cut off" in results(model)[1][0]["error"]


def test_whole_calls_before_the_cut_are_run() -> None:
    reading, (gap,), model = read(calls(search("dog")), calls(DOG, HOME, stop_reason="model_context_window_exceeded"))
    assert [one.candidate.key for one in reading.decisions] == ["pet_rex"]
    assert (gap.interactions, gap.waits) == (frozenset({"c1"}), True)
    assert len(model.asked) == 2


def test_a_refusal_leaves_the_day_unread() -> None:
    reading, (gap,), _ = read(calls(search("dog")), calls(DOG), says("I can't", "refusal"))
    assert reading.decisions == ()
    assert (gap.interactions, gap.waits, gap.why) == (frozenset({"c1", "c2"}), True, "the model declined to read it")


@pytest.mark.parametrize(("misconfigured", "waits"), [(True, False), (False, True)])
def test_a_model_that_goes_away_leaves_the_day_unread(misconfigured: bool, waits: bool) -> None:
    reading, gaps, _ = read(calls(search("dog")), calls(DOG), ModelUnavailable("Claude answered 4xx", misconfigured))
    assert reading.decisions == ()
    assert gaps == (Unread(frozenset({"c1", "c2"}), "Claude answered 4xx", waits),)


@pytest.mark.parametrize(
    ("allowance", "why"), [(Allowance(agent_turns=2), "2 turns"), (Allowance(agent_tokens=220), "220 tokens")]
)
def test_a_limit_keeps_the_plan_and_leaves_what_it_did_not_come_to(allowance: Allowance, why: str) -> None:
    endless: list[Step] = [calls(search("dog"), DOG)] * 30
    reading, (gap,), model = read(*endless, allowance=allowance)
    assert [one.candidate.key for one in reading.decisions] == ["pet_rex"]
    assert (gap.interactions, gap.waits) == (frozenset({"c1"}), True)
    assert why in gap.why
    assert len(model.asked) == 2


def test_its_time_is_limited() -> None:
    _, (gap,), model = read(allowance=Allowance(agent_seconds=0.0))
    assert (gap.why, gap.waits, model.asked) == ("the agent has had its time", True, [])


def test_a_call_may_take_no_longer_than_what_is_left() -> None:
    _, _, model = read(DONE, allowance=Allowance(agent_seconds=7.0))
    assert 0.0 < model.asked[0].seconds <= 7.0


def test_a_spent_budget_in_the_middle_is_a_gap_that_does_not_wait() -> None:
    reading, (gap,), _ = read(calls(search("dog"), tokens=(15_000, 0)), allowance=Allowance(user_tokens=20_000))
    assert (reading.decisions, gap.waits) == ((), False)


def test_a_talk_goes_on_where_it_was_and_pays_for_no_turn_twice() -> None:
    kept = Kept()
    first, gaps, _ = read(calls(search("dog")), ModelUnavailable("Claude answered 529"), answers=kept)
    assert (first.decisions, len(gaps)) == ((), 1)
    assert list(kept) == ["2026-03-02/agent/0/0"]
    purse = Purse()
    second, gaps, model = read(calls(DOG), DONE, answers=kept, purse=purse)
    assert [one.candidate.key for one in second.decisions] == ["pet_rex"]
    assert gaps == ()
    assert len(model.asked) == len(purse.reserved) == 2
    assert len(model.asked[0].messages) == 3
