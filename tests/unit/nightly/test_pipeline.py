"""Pipeline mode: what a model proposes and decides, and what code lets through."""

import json
import re
from typing import Any

import pytest

from commonplace.extraction.candidate import Decision, Reading
from commonplace.extraction.days import Day
from commonplace.llm.partial_json import Items, items_of
from commonplace.llm.prompts import instructions
from commonplace.nightly.budget import Unread, tokens_of
from commonplace.nightly.pipeline import read_by_pipeline
from commonplace.nightly.prompt_chunks import chunks_of, lines_of
from commonplace.ports.night import Allowance
from commonplace.ports.values import ModelUnavailable
from tests.unit.nightly.scripted import NOW, InMemoryView, Kept, Purse, ScriptedModel, Step, day_of, memory, metered, says

MOVED = "btw we moved to Leeds in March"
REX = "my dog Rex turned 5 in May"


def item(message: int, evidence: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"message": message, "evidence": evidence, "content": content, "confidence": 0.95, **fields}


LEEDS = item(1, MOVED, "The user moved to Leeds in March.", type="fact", key="home_city", corrects=True)
DOG = item(2, REX, "The user's dog Rex turned 5 in May.", type="fact")


def read(
    day: Day, *script: Step, view: InMemoryView | None = None, **world: Any
) -> tuple[Reading, tuple[Unread, ...], ScriptedModel]:
    model, scripted = metered(*script, **world)
    reading, gaps = read_by_pipeline(day, view or InMemoryView(), model, NOW)
    return reading, gaps, scripted


def contents(decisions: tuple[Decision, ...]) -> list[tuple[str, str]]:
    return [(one.operation, one.content or one.candidate.content) for one in decisions]


def decide(*decisions: dict[str, Any]) -> Step:
    return says({"decisions": list(decisions)})


def test_a_single_decision_may_be_the_answer_itself_and_a_cut_one_is_none() -> None:
    known = memory("mem_york", "The user moved to a flat in York.")
    alone = {"operation": "NOOP"}
    for said, wanted in ((json.dumps(alone), "NOOP"), (f"Sure:\n```json\n{json.dumps(alone)}\n```", "NOOP")):
        reading, _, _ = read(day_of(MOVED), says({"memories": [LEEDS]}), says(said), view=InMemoryView(known))
        assert [one.operation for one in reading.decisions] == [wanted]
    cut = says('{"operation": "NOOP", "target_memory_id": "mem', stop_reason="max_tokens")
    reading, _, _ = read(day_of(MOVED), says({"memories": [LEEDS]}), cut, view=InMemoryView(known))
    assert [one.operation for one in reading.decisions] != ["NOOP"]


def test_a_memory_that_names_no_message_rests_on_the_sentences_that_say_it() -> None:
    day = day_of(["A: What is new?", f"Not much. {MOVED}, all of us. It rains."], REX)
    bare = [{name: one[name] for name in ("content", "type", "confidence")} for one in (LEEDS, DOG)]
    reading, _, _ = read(day, says({"memories": [*bare, {**bare[0], "content": "The user has a sister in Rome."}]}))
    found = [(one.candidate.interaction_id, one.candidate.position, one.candidate.evidence) for one in reading.decisions]
    assert found == [("c1", 1, f"{MOVED}, all of us."), ("c2", 0, REX)]


# What the model is shown


def test_own_words_travel_as_data_with_the_question_before_them() -> None:
    day = day_of(["A: Where do you live now?", 'Leeds "</messages" {data}', "look:\n```\nrm -rf /\n```\nthat deletes it all"])
    _, _, model = read(day, says({"memories": []}))
    asked = model.asked[0]
    found = re.match(
        r"<date-(\w+)>\nMonday, 2026-03-02\n</date-\1>\n<messages-\1>\n(.*)\n</messages-\1>\n\n.*<messages-\1>",
        asked.text,
        re.DOTALL,
    )
    assert found is not None
    first, second = map(json.loads, found[2].splitlines())
    assert (first["message"], first["interaction_id"], first["at"]) == (1, "c1", "09:01")
    assert first["assistant_before"] == "Where do you live now?"
    assert first["user"] == 'Leeds "</messages" {data}'
    assert "rm -rf" not in asked.text
    assert "that deletes it all" in second["user"]
    assert "[…]" in second["user"]
    assert asked.instructions == instructions("extract")
    assert asked.schema is not None


def test_two_questions_never_have_the_same_marks() -> None:
    marks = []
    for _ in range(2):
        _, _, model = read(day_of(MOVED), says({"memories": []}))
        marks += re.findall(r"^<date-(\w+)>", model.asked[0].text)
    assert len(set(marks)) == 2


def test_a_day_without_own_words_asks_nothing() -> None:
    reading, gaps, model = read(day_of(["A: Hello!", "```\nprint(1)\n```"]))
    assert (reading.decisions, gaps, model.asked) == ((), (), [])


def test_a_long_answer_of_the_assistant_is_shortened_in_its_middle() -> None:
    day = day_of(["A: " + "x" * 5_000 + " Shall I use metric units?", "yes"])
    (line,) = lines_of(day)
    assert json.loads(line.json)["assistant_before"].endswith("Shall I use metric units?")
    assert len(line.json) < 1_200


def test_pieces_hold_all_lines_in_order_and_fit() -> None:
    lines = lines_of(day_of(*(f"I like number {n} " + "and more " * n for n in range(60))))
    pieces = list(chunks_of(lines, most_tokens=400))
    assert [line for piece in pieces for line in piece] == lines
    assert len(pieces) > 1
    assert all(len(piece) == 1 or tokens_of("".join(line.json for line in piece)) <= 400 for piece in pieces)


def test_a_day_of_50_long_messages_takes_three_calls_at_the_most() -> None:
    fifty = [f"A: {'what do you think? ' * 400}" if n % 2 else "I think a lot of it. " * 380 for n in range(50)]
    similar = InMemoryView(memory("mem_A", "The user thinks a lot of it."))
    none = says({"memories": []})
    one = says({"memories": [item(1, "I think a lot of it.", "The user thinks highly of it all.")]})
    _, gaps, model = read(day_of(fifty), one, none, decide(), view=similar)
    assert gaps == ()
    assert len(model.asked) <= 3


# What it proposes


def test_a_proposal_becomes_a_candidate_with_its_place_and_time() -> None:
    reading, gaps, _ = read(
        day_of("hello there", MOVED), says({"memories": [{**LEEDS, "message": 2, "tags": ["Home", "home", " "]}]})
    )
    (decision,) = reading.decisions
    candidate = decision.candidate
    assert decision.operation == "ADD"
    assert (candidate.interaction_id, candidate.position, candidate.evidence) == ("c2", 0, MOVED)
    assert (candidate.content, candidate.type, candidate.key) == ("The user moved to Leeds in March.", "fact", "home_city")
    assert candidate.event_time == day_of("hello there", MOVED).utterances[1].time
    assert (candidate.tags, candidate.corrects, candidate.confidence) == (("home",), True, 0.95)
    assert (reading.candidates, gaps) == (1, ())


@pytest.mark.parametrize(
    ("changed", "why"),
    [
        ({"confidence": 1.5}, "confidence"),
        ({"confidence": "high"}, "confidence"),
        ({"confidence": float("nan")}, "confidence"),
        ({"message": 99}, "not shown"),
        ({"message": "1"}, "message"),
        ({"evidence": ""}, "evidence"),
        ({"evidence": "x" * 301}, "evidence"),
        ({"content": "long " * 300}, "content"),
        ({"content": None}, "content"),
        ({"content": "a\x00b"}, "content"),
    ],
)
def test_ranges_are_checked_item_by_item(changed: dict[str, Any], why: str) -> None:
    reading, _, _ = read(day_of(MOVED, REX), says(json.dumps({"memories": [{**LEEDS, **changed}, "no item", DOG]})))
    assert contents(reading.decisions) == [("ADD", DOG["content"])]
    assert why in reading.dropped[0].why
    assert len(reading.dropped) == 2
    assert reading.candidates == 3


@pytest.mark.parametrize("half", ["\\ud83d", "\\uDE00", "\\ude00\\ud83d", "\\\\\\ud83d", "\\ud83d\\u0041", "\ud83d"])
@pytest.mark.parametrize("where", ["content", "evidence"])
def test_half_a_character_costs_its_item_only(half: str, where: str) -> None:
    bad = json.dumps({**LEEDS, where: "moved HALF"}).replace("HALF", half)
    reading, gaps, _ = read(day_of(MOVED, REX), says(f'{{"memories": [{bad}, {json.dumps(DOG)}]}}'))
    assert (contents(reading.decisions), gaps) == ([("ADD", DOG["content"])], ())
    assert where in reading.dropped[0].why


@pytest.mark.parametrize("whole", ["\\ud83d\\ude00", "\\uD83D\\uDE00", "\\\\ud83d", "\\u0041", "\\n\\ud83d\\ude00\\t", "😀"])
def test_whole_characters_are_read_as_they_stand(whole: str) -> None:
    said = f'{{"memories": ["a {whole}", 1]}}'
    assert items_of(said, "memories", cut=False) == Items(json.loads(said)["memories"])


@pytest.mark.parametrize("cut", ["\\ud8", "\\ud83d", "\\ud83d\\", "\\ud83d\\ude"])
def test_an_answer_may_be_cut_in_the_middle_of_a_character(cut: str) -> None:
    items = items_of(f'{{"memories": [{{"a": "one"}}, {{"a": "two {cut}', "memories", cut=True)
    assert items is not None
    assert items.complete == [{"a": "one"}]


@pytest.mark.parametrize("named", [{"tags": "home", "key": 7}, {"tags": ["home\ud83d"], "key": "home\ud83d"}])
def test_what_only_sorts_a_memory_costs_itself_when_it_is_wrong(named: dict[str, Any]) -> None:
    wrong: dict[str, Any] = {"type": "hobby", "scope": "world", "durability": "forever", "section": "misc", **named}
    reading, _, _ = read(day_of(MOVED), says(json.dumps({"memories": [{**LEEDS, **wrong}]})))
    candidate = reading.decisions[0].candidate
    assert (candidate.type, candidate.durability, candidate.section, candidate.key) == (None, None, None, None)
    assert (candidate.scope, candidate.tags) == ("user_global", ())


def test_the_same_content_twice_is_one_candidate() -> None:
    reading, _, _ = read(day_of(MOVED), says({"memories": [LEEDS, LEEDS]}))
    assert len(reading.decisions) == 1


def test_a_memory_of_several_sentences_may_be_forgotten_in_part() -> None:
    said, wish = (
        "I live in Bonn. I have a cat called Minka. My sister plays the cello",
        "forget that I have a cat called Minka",
    )
    told = "The user lives in Bonn. The user has a cat called Minka. The user's sister plays the cello."
    proposed = [
        item(1, said, told),
        item(2, wish, "The user has a cat called Minka.", forgets=True),
        item(3, REX, DOG["content"]),
    ]
    similar = InMemoryView(memory("mem_A", "The user's dog Rex is big."))
    choice = {"candidate": 3, "operation": "NOOP"}
    reading, _, model = read(day_of(said, wish, REX), says({"memories": proposed}), decide(choice), view=similar)
    assert '"candidate": 3' in model.asked[1].text
    kept = [one for one in contents(reading.decisions) if one[0] == "ADD"]
    assert kept == [("ADD", "The user lives in Bonn."), ("ADD", "The user's sister plays the cello.")]


MINKA, WISH = "I have a cat called Minka", "please forget that I have a cat called Minka"
CAT = item(1, MINKA, "The user has a cat called Minka.")


@pytest.mark.parametrize("asked", [[], [item(2, WISH, CAT["content"], forgets=True)], [item(2, WISH, CAT["content"])]])
def test_a_wish_to_forget_is_heard_whatever_the_model_says(asked: list[dict[str, Any]]) -> None:
    known = memory("mem_A", "The user's cat Minka has been called that since she was a kitten that they have.")
    reading, gaps, _ = read(day_of(MINKA, WISH), says({"memories": [CAT, *asked]}), view=InMemoryView(known))
    assert [one.operation for one in reading.decisions] == ["NOOP", "FORGET"]
    wish = reading.decisions[-1]
    assert (wish.candidate.content, wish.candidate.interaction_id) == ("I have a cat called Minka", "c2")
    assert (wish.targets, gaps) == (("mem_A",), ())


@pytest.mark.parametrize(
    ("said", "old", "new"),
    [
        ("I live in Milan now.", "The user lives in Rome.", "The user lives in Milan."),
        ("I train for a marathon in Berlin.", "The user trains for a marathon.", "The user trains for a marathon in Berlin."),
    ],
)
def test_what_is_to_be_forgotten_comes_back_by_no_update_of_the_model(said: str, old: str, new: str) -> None:
    known = memory("mem_A", f"{old} The user has a cat called Minka.")
    choice = {"candidate": 0, "operation": "UPDATE", "target_memory_id": "mem_A"}
    choices = decide({**choice, "updated_content": f"{new} The user has a cat called Minka."})
    proposed = says({"memories": [item(1, said, new)]})
    reading, _, model = read(day_of(said, WISH), proposed, choices, view=InMemoryView(known))
    assert [one.operation for one in reading.decisions][1:] == ["FORGET"]
    assert "Minka" not in reading.decisions[0].says
    assert all("Minka" not in asked.text for asked in model.asked[1:])


def test_what_may_be_said_in_a_play_is_a_wish_where_the_model_takes_it_for_one() -> None:
    known = InMemoryView(memory("mem_A", "The user has a cat called Minka."))
    for asked in ([], [item(1, "Forget my cat.", "The user's cat.", forgets=True)]):
        reading, _, _ = read(day_of("Forget my cat."), says({"memories": asked}), view=known)
        assert [one.operation for one in reading.decisions] == ["FORGET"] * len(asked)


def test_a_wish_that_points_at_the_talk_is_heard_beside_one_that_names_what_goes() -> None:
    day = day_of(["I play the bassoon.", "A: Nice.", "Forget what I just told you. Also forget that I have a cat."])
    asked = [
        item(2, "Forget what I just told you.", "I play the bassoon.", forgets=True),
        item(2, "Also forget that I have a cat.", "The user has a cat.", forgets=True),
    ]
    reading, _, _ = read(day, says({"memories": asked}), view=InMemoryView(memory("mem_A", "The user plays the bassoon.")))
    assert contents(reading.decisions) == [("FORGET", "I play the bassoon."), ("NOOP", "I have a cat")]


def test_a_wish_in_what_was_not_read_waits_with_it() -> None:
    reading, (gap,), _ = read(day_of(MINKA, WISH), ModelUnavailable("Claude answered 529"))
    assert (reading.decisions, gap.interactions) == ((), frozenset({"c1", "c2"}))


def test_what_is_said_again_after_the_wish_is_remembered() -> None:
    again = {**CAT, "message": 3}
    reading, _, _ = read(day_of(MINKA, WISH, MINKA), says({"memories": [CAT, again]}))
    assert contents(reading.decisions)[-1] == ("ADD", CAT["content"])


@pytest.mark.parametrize("around", ["{}", "```json\n{}\n```", "Here {{it}} is:\n{}\nAnything else? {{}}"])
def test_remarks_around_the_answer_do_no_harm(around: str) -> None:
    reading, _, _ = read(day_of(MOVED, REX), says(around.format(json.dumps({"memories": [LEEDS, DOG]}))))
    assert len(reading.decisions) == 2


def test_complete_items_of_an_answer_that_was_cut_are_kept_and_the_rest_is_asked_for_again() -> None:
    whole = json.dumps({"memories": [LEEDS, {**DOG, "message": 3}]})
    cut = whole[: whole.index("turned 5 in May.")]
    reading, gaps, model = read(
        day_of(MOVED, "hm", REX), says(cut, "max_tokens"), says({"memories": [{**DOG, "message": 3}]})
    )
    assert contents(reading.decisions) == [("ADD", LEEDS["content"]), ("ADD", DOG["content"])]
    assert gaps == ()
    assert "Leeds" not in model.asked[1].text
    assert "Rex" in model.asked[1].text


def test_an_answer_that_is_cut_on_its_first_message_leaves_the_day_unread() -> None:
    day = day_of(MOVED, REX)
    reading, (gap,), model = read(day, says({"memories": [LEEDS]}, "max_tokens"))
    assert contents(reading.decisions) == [("ADD", LEEDS["content"])]
    assert (gap.interactions, gap.waits) == (frozenset({"c1", "c2"}), True)
    assert len(model.asked) == 1


@pytest.mark.parametrize("answer", ["", "I'd rather not.", '{"memories": "none"}', "[]", "{" * 1_000])
def test_an_answer_without_a_list_leaves_the_day_unread(answer: str) -> None:
    reading, (gap,), _ = read(day_of(MOVED), says(answer))
    assert (reading.decisions, gap.interactions, gap.waits) == ((), frozenset({"c1"}), True)


@pytest.mark.parametrize("end", range(1, 60))
def test_no_cut_makes_an_item_that_is_half_of_one(end: int) -> None:
    whole = json.dumps({"memories": [{"a": "one", "b": [1, 2]}, {"a": "two", "b": [3, 4]}]})
    items = items_of(whole[:end], "memories", cut=True)
    assert items is None or items.complete in ([], [{"a": "one", "b": [1, 2]}], json.loads(whole)["memories"])


def test_an_item_that_is_cut_behind_a_list_of_its_own_is_half_of_one() -> None:
    whole = json.dumps(
        {"memories": [{"a": "one", "tags": ["x"], "forgets": True}, {"a": "two", "tags": ["y"], "forgets": True}]}
    )
    items = items_of(whole[: whole.rindex("]", 0, -3) + 1], "memories", cut=True)
    assert items == Items([{"a": "one", "tags": ["x"], "forgets": True}], {"a": "two", "tags": ["y"]})


def test_a_cut_answer_may_name_its_messages_in_any_way() -> None:
    listed = json.dumps({"memories": [{**LEEDS, "message": [1]}]})
    reading, (gap,), _ = read(day_of(MOVED, REX), says(listed, "max_tokens"))
    assert "message" in reading.dropped[0].why
    assert gap.waits


# What goes wrong


def test_a_refusal_leaves_what_was_shown_unread() -> None:
    reading, (gap,), _ = read(day_of(MOVED), says({"memories": [LEEDS]}, "refusal"))
    assert reading.decisions == ()
    assert (gap.interactions, gap.waits, gap.why) == (frozenset({"c1"}), True, "the model declined to read it")


@pytest.mark.parametrize(("misconfigured", "waits"), [(True, False), (False, True)])
def test_a_model_that_is_not_there_leaves_a_gap(misconfigured: bool, waits: bool) -> None:
    reading, gaps, _ = read(day_of(MOVED, REX), ModelUnavailable("Claude answered 4xx", misconfigured))
    assert reading.decisions == ()
    assert gaps == (Unread(frozenset({"c1", "c2"}), "Claude answered 4xx", waits),)


def test_what_was_read_before_a_failure_is_kept() -> None:
    day = day_of(MOVED, "I like long walks by the sea. " * 6_000, REX)
    reading, (gap,), model = read(day, says({"memories": [LEEDS]}), ModelUnavailable("Claude answered 529"))
    assert contents(reading.decisions) == [("ADD", LEEDS["content"])]
    assert gap.interactions == {"c2", "c3"}
    assert len(model.asked) == 2


def test_a_spent_budget_is_a_gap_that_does_not_wait() -> None:
    reading, (gap,), model = read(day_of(MOVED), allowance=Allowance(user_tokens=5_000))
    assert (reading.decisions, gap.waits, model.asked) == ((), False, [])
    assert gap.why == "the budget of tokens is spent"


def test_tokens_are_reserved_before_a_call_and_settled_after_it() -> None:
    purse = Purse()
    read(day_of(MOVED), says({"memories": []}, tokens=(700, 30)), purse=purse)
    ((user, _, reserved),) = purse.reserved
    assert user == "local|ann"
    assert reserved >= 8_000 + tokens_of(instructions("extract"))
    assert [(one[2], one[3]) for one in purse.settled] == [(reserved, 730)]
    assert purse.spent == 730


def test_a_call_that_failed_costs_nothing() -> None:
    purse = Purse()
    read(day_of(MOVED), ModelUnavailable("Claude answered 529"), purse=purse)
    assert purse.spent == 0


def test_an_answer_that_was_saved_is_not_paid_for_again() -> None:
    kept, view = Kept(), InMemoryView(memory("mem_A", "The user lives in London.", key="home_city"))
    choice = {"candidate": 0, "operation": "ADD"}
    first, _, _ = read(day_of(MOVED), says({"memories": [LEEDS]}), decide(choice), view=view, answers=kept)
    assert next(iter(kept)) == "2026-03-02/extract/0"
    purse = Purse()
    second, _, model = read(day_of(MOVED), view=view, answers=kept, purse=purse)
    assert (model.asked, purse.reserved) == ([], [])
    assert second == first


def test_tokens_are_a_third_of_the_bytes_rounded_up() -> None:
    assert tokens_of("") == 0
    assert tokens_of("abcd") == 2
    assert tokens_of("猫", "a") == 2
    assert tokens_of({"a": "猫"}) == tokens_of('{"a": "猫"}')
