"""What the benchmark of nights counts: each figure rises by what it is named after, and by nothing else."""

from dataclasses import replace
from datetime import date
from typing import Any

import pytest

from benchmarks.night_scoring import Ending, Remembered, Score, Share, leaks, score
from benchmarks.night_stories import HALVES, KINDS, Fact, Gold, Half, Never, Story, stories

BERLIN = Gold(
    id="g1", day=date(2026, 3, 2), fact="Lives in Berlin.", question="Where?", words=(("live", "wohn"), ("berlin",))
)
MUNICH = Gold(
    id="g2", day=date(2026, 3, 3), fact="Lives in Munich.", question="Where?", words=(("munich", "münchen"),), replaces="g1"
)
DOG = Gold(id="g3", day=date(2026, 3, 3), fact="Has a dog, Toivo.", question="Pets?", words=(("dog", "lab"), ("toivo",)))
PIN = Never(kind="secret", text="my pin is 7306", words=(("7306",),))
CHAT = Never(kind="small_talk", text="my coffee is cold", words=(("coffee",), ("cold",)))
FRIEND = Fact(id="s1", fact="Anna lives in Hamburg.", words=(("anna",), ("hamburg",)))
TABLE = Fact(fact="Sets the table wrong.", words=(("table",), ("wrong",)))
STORY = Story(
    name="s", language="en", zone="Europe/Berlin", days=(), gold=(BERLIN, MUNICH, DOG), stays=(FRIEND,), never=(PIN, CHAT),
    forgotten=(TABLE,),
)  # fmt: skip
NOTHING = Ending(active=[], ever=[], found={})


def scored(**changed: Any) -> Score:
    return score(STORY, replace(NOTHING, **changed))


def test_nothing_remembered_counts_as_nothing_found_and_nothing_wrong() -> None:
    empty = scored()
    assert empty.found == Share(0, 2), "the changed fact is not asked for any more"
    assert (empty.closed, empty.renewed, empty.lost) == (Share(), Share(), Share())
    assert empty.erased == Share(1, 1)
    assert empty.stored_of(*KINDS) == Share(0, 2)
    assert empty.closed.value is None


@pytest.mark.parametrize(
    ("texts", "count"),
    [
        (["I have a dog named Toivo"], 1),
        (["TOIVO is a black\nLab"], 1),
        (["Toivo is twelve"], 0),
        (["A dog", "Toivo"], 0),
        (["1", "2", "3", "4", "5", "my dog Toivo"], 0),
        (["1", "2", "3", "4", "my dog Toivo"], 1),
    ],
)
def test_a_fact_is_found_when_one_of_the_first_five_holds_a_word_of_every_group(texts: list[str], count: int) -> None:
    assert scored(found={"g3": texts}).found == Share(count, 2)


def test_what_passes_the_threshold_is_counted_apart() -> None:
    only = scored(passing={"g3": ["my dog Toivo"]})
    assert (only.found, only.passing) == (Share(0, 2), Share(1, 2))


def test_a_memory_of_another_question_does_not_count() -> None:
    assert scored(found={"g2": ["my dog Toivo"], "g1": ["I live in Munich"]}).found == Share(0, 2)


def test_a_changed_fact_counts_once_its_old_value_was_remembered() -> None:
    old, new = Remembered("I live in Berlin"), Remembered("I moved to Munich")
    assert scored(ever=[new.text], active=[new]).closed == Share()
    assert scored(ever=[old.text], active=[new]).closed == Share(1, 1)
    assert scored(ever=[old.text], active=[old, new]).closed == Share(0, 1)


def test_a_text_that_tells_of_the_change_is_not_the_old_value() -> None:
    both = Remembered("I don't live in Berlin any more but in Munich")
    assert scored(ever=[both.text], active=[both]).closed == Share()
    assert scored(ever=["I live in Berlin", both.text], active=[both]).closed == Share(1, 1)


def test_a_changed_fact_is_renewed_when_the_new_value_is_found_without_the_old() -> None:
    ever = ["I live in Berlin", "Now in Munich"]
    assert scored(ever=ever, found={"g2": ["Now in Munich"]}).renewed == Share(1, 1)
    assert scored(ever=ever, found={"g2": ever}).renewed == Share(0, 1)
    assert scored(ever=ever, found={"g2": []}).renewed == Share(0, 1)
    assert scored(ever=ever, found={"g1": ["Now in Munich"]}).renewed == Share(0, 1)


def test_a_look_alike_is_lost_when_it_was_remembered_and_is_no_more() -> None:
    anna = "Anna lives in Hamburg"
    assert scored(ever=[anna], active=[Remembered(anna)]).lost == Share(0, 1)
    assert scored(ever=[anna]).lost == Share(1, 1)


def test_what_must_not_be_remembered_counts_in_text_or_evidence_of_one_memory() -> None:
    assert scored(active=[Remembered("My coffee is cold")]).stored["small_talk"] == Share(1, 1)
    assert scored(active=[Remembered("The user drinks coffee", "my coffee is cold")]).stored["small_talk"] == Share(1, 1)
    assert scored(active=[Remembered("coffee"), Remembered("cold")]).stored["small_talk"] == Share(0, 1)
    assert scored(active=[Remembered("my pin is 7306")]).stored_of("secret", "small_talk") == Share(1, 2)


@pytest.mark.parametrize(
    ("file", "leaked"),
    [("pin is 7306.", True), ('{"text":"7306"}', True), ("\x007306\x00", True), ("a97306ff", False), ("17306", False)],
)
def test_a_secret_leaks_as_a_number_of_its_own(file: str, leaked: bool) -> None:
    assert leaks(PIN, file) is leaked


def test_a_secret_of_two_words_leaks_when_the_file_holds_both() -> None:
    both = Never(kind="secret", text="", words=(("Chai@9911", "chai"), ("door",)))
    assert leaks(both, "the door ... chai@9911")
    assert not leaks(both, "chai@9911")


def test_what_was_forgotten_is_in_no_memory_and_in_no_column() -> None:
    told = "I set the table wrong"
    in_a_memory, in_a_column = scored(active=[Remembered(told)]), scored(values=["x", told])
    assert (in_a_memory.forgotten, in_a_memory.erased) == (Share(0, 1), Share(0, 1))
    assert (in_a_column.forgotten, in_a_column.erased) == (Share(1, 1), Share(0, 1))
    assert scored(values=["the table", "is wrong"]).erased == Share(1, 1)


def test_scores_add_up() -> None:
    one = scored(found={"g3": ["my dog Toivo"]}, active=[Remembered("my coffee is cold")])
    two = one + scored()
    assert two.found == Share(1, 4)
    assert two.stored_of(*KINDS) == Share(1, 4)
    assert (two.erased, two.memories) == (Share(2, 2), 1)


@pytest.mark.parametrize("half", HALVES)
def test_every_story_can_be_scored(half: Half) -> None:
    """A story whose own facts were remembered word by word has every figure at its best."""
    told = stories(half)
    assert len(told) == 6
    assert len({one.language for one in told}) >= 2
    for one in told:
        assert set(KINDS) == {never.kind for never in one.never}
        best = score(one, Ending([], [], {gold.id: [gold.fact] for gold in one.gold}))
        assert best.found.value == 1.0, one.name
        assert best.found.of == len(one.gold) - len(one.changes), one.name
