"""The text of a merge: a sentence goes where another tells all of it, and never for anything that is different."""

import tomllib
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.extraction.merging import contradiction, covers, merged_text
from tests.examples import examples

CASES = Path(__file__).parent / "cases"
ROWS = [row.split("\t") for row in (CASES / "merging.tsv").read_text("utf-8").splitlines() if not row.startswith("#")]
SLOTS = tomllib.loads((CASES / "merging_slots.toml").read_text("utf-8"))
NAMES = [name for name in SLOTS if name != "says"]


@pytest.mark.parametrize(("one", "other", "left"), ROWS, ids=[f"{one} + {other}" for one, other, _ in ROWS])
def test_what_is_left_of_two(one: str, other: str, left: str) -> None:
    assert merged_text([one, other]) == left


@given(st.data())
@examples(400)
def test_two_sentences_that_differ_in_one_thing_both_stay(data: st.DataObject) -> None:
    says = data.draw(st.sampled_from(SLOTS["says"]))
    filled = {name: data.draw(st.sampled_from(SLOTS[name])) for name in NAMES}
    changed = data.draw(st.sampled_from([name for name in NAMES if f"{{{name}}}" in says]))
    other = {**filled, changed: data.draw(st.sampled_from([one for one in SLOTS[changed] if one != filled[changed]]))}
    first, second = (f"{says.format(**one)[0].upper()}{says.format(**one)[1:]}." for one in (filled, other))
    assert merged_text([first, second]) == f"{first} {second}"


@given(st.data())
@examples(50)
def test_the_same_twice_stays_once(data: st.DataObject) -> None:
    said = data.draw(st.sampled_from(SLOTS["says"])).format(**{n: data.draw(st.sampled_from(SLOTS[n])) for n in NAMES})
    assert merged_text([f"{said}.", f"{said}."]) == f"{said}."


@given(st.lists(st.text(max_size=40), min_size=2, max_size=4))
@examples(150)
def test_any_texts_are_merged_without_a_word_that_was_not_theirs(texts: list[str]) -> None:
    said = "".join(texts)
    assert set(merged_text(texts)) <= {*said, " ", "."}


def test_what_goes_on_with_a_limit_does_not_tell_it() -> None:
    assert covers("I play the cello in Bonn", "I play the cello")
    assert not covers("I play the cello only in Bonn", "I play the cello")
    assert not covers("I play the cello in Bonn on Mondays", "I play the cello")


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("I live in Bonn.", "I live in Oslo now."),
        ("I play the cello.", "I don't play the cello."),
        ("I don't play the cello.", "I play the cello."),
        ("My rent is 800 euros.", "My rent is 900 euros."),
        ("We meet on Monday.", "We meet on Tuesday."),
    ],
)
def test_texts_of_which_only_one_can_be_true_contradict(older: str, newer: str) -> None:
    assert contradiction(older, newer)


@pytest.mark.parametrize(
    ("older", "newer"), [("I play the cello.", "I play the cello in Bonn."), ("I have a cat.", "I like tea.")]
)
def test_texts_that_can_both_be_true_do_not(older: str, newer: str) -> None:
    assert contradiction(older, newer) is None
