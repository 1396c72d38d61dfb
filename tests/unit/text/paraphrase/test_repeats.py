"""Texts that repeat each other word for word, and texts that only look like it."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.text.paraphrase.repeats import is_repeat
from commonplace.text.third_person import to_third_person

FOLDER = Path(__file__).parent
WORDS = "my doctor and the new teacher like two dogs not cats never in Rome on Monday with tea before lunch".split()
TEXTS = st.lists(st.sampled_from(WORDS), min_size=1, max_size=12).map(" ".join)


def pairs(name: str) -> list[tuple[str, str]]:
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [(first.strip(), second.strip()) for first, _, second in (line.partition(" | ") for line in lines)]


@pytest.mark.parametrize(
    ("first", "second"),
    [*pairs("duplicates_distinct.txt"), *pairs("duplicates_fresh.txt"), ("2 cats 3 dogs", "cats 3 dogs 2")],
)
def test_an_update_a_contradiction_or_a_look_alike_is_no_repeat(first: str, second: str) -> None:
    assert not is_repeat(first, second)
    assert not is_repeat(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I love pizza.", "i love PIZZA"),
        ("I'm sure: it rains", "  I’m  sure: it rains ."),
        ("On Mondays I swim.", "I swim on Mondays"),
        ("I play the cello.", "The user plays the cello."),
        ("La cena è alle 8", "la cena è alle 8!"),
        ("私はローマに住んでいます。", "「私はローマに住んでいます」"),
        ("🙂", " 🙂 "),
    ],
)
def test_case_marks_and_the_order_of_parts_do_not_matter(first: str, second: str) -> None:
    assert is_repeat(first, second)
    assert is_repeat(second, first)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("I like tea", "I like tea?"),
        ("c++", "c#"),
        ("3.5", "35"),
        ("$20", "€20"),
        ("-5", "5"),
        ("!", "…"),
        ("Tom saw Ana", "Ana saw Tom"),
    ],
)
def test_a_sign_or_an_order_that_means_something_else_is_no_repeat(first: str, second: str) -> None:
    assert not is_repeat(first, second)


@given(st.text(max_size=200))
def test_a_text_repeats_itself(text: str) -> None:
    assert is_repeat(text, text)


@given(TEXTS, TEXTS)
def test_the_order_of_the_two_does_not_matter(first: str, second: str) -> None:
    assert is_repeat(first, second) == is_repeat(second, first)


@given(TEXTS, TEXTS)
def test_a_moved_part_repeats(first: str, second: str) -> None:
    assert is_repeat(f"Tom {first} {second}", f"{second} Tom {first}")


@given(TEXTS, TEXTS, st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_another_memory(before: str, after: str, number: int, other: int) -> None:
    assert is_repeat(f"{before} {number} {after}", f"{before} {other} {after}") == (number == other)


@given(TEXTS, TEXTS, st.sampled_from(["not", "never", "was", "will", "without", "only", "might"]))
def test_a_word_more_is_another_memory(before: str, after: str, word: str) -> None:
    assert not is_repeat(f"I see {before} {word} {after}", f"I see {before} {after}")


@pytest.mark.parametrize(
    "text",
    [
        "Projektleiter ist Herr Wittig", "Ich fahre mit meiner Frau gern lange Rad", "allergic to pollen, badly",
        "I sing, dance and paint", "I cook, bake, garden and knit", "I am who I am.", "I like tea.I hate coffee.",
        "I love my kids, I love my wife, I love my job", "I need my meds and I need my sleep and I need my coffee",
    ],
)  # fmt: skip
def test_a_text_repeats_its_third_person(text: str) -> None:
    assert is_repeat(text, to_third_person(text))
    assert is_repeat(to_third_person(text), text)
