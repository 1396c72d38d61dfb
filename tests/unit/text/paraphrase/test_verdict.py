"""When a merge may be suggested: tables of pairs, and what must hold of any text."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.text.paraphrase.language import TABLED, american, language, language_of, readings
from commonplace.text.paraphrase.parsing import plain
from commonplace.text.paraphrase.verdict import same_statement, statements

FOLDER = Path(__file__).parent


def pairs(name: str) -> list[tuple[str, str]]:
    lines = (FOLDER / name).read_text("utf-8").splitlines()
    return [(first.strip(), second.strip()) for first, _, second in (line.partition(" | ") for line in lines)]


DISTINCT = [*pairs("duplicates_distinct.txt"), *pairs("duplicates_fresh.txt")]
SAME = pairs("duplicates_same.txt")
CHANGED = "my doctor and the new teacher like two dogs not cats never in Rome on Monday with tea before lunch".split()
WORDS = st.lists(st.sampled_from(CHANGED), min_size=1, max_size=12).map(" ".join)


@pytest.mark.parametrize(("first", "second"), DISTINCT)
def test_an_update_a_contradiction_or_a_look_alike_is_no_merge(first: str, second: str) -> None:
    assert same_statement(first, second) is None
    assert same_statement(second, first) is None


@pytest.mark.parametrize(("first", "second"), SAME)
def test_what_says_the_same_may_be_merged_whichever_comes_first(first: str, second: str) -> None:
    assert same_statement(first, second) is not None
    assert same_statement(second, first) is not None


@pytest.mark.parametrize(
    ("first", "second", "reason"),
    [
        ("I love pizza.", "i love PIZZA", "the same words"),
        ("I work as a nurse", "I'm a nurse", "the same in other words"),
        ("I like tea and coffee", "I like coffee and tea", "the same words in another order"),
        ("I really love pizza", "I love pizza", "the same but for small words"),
        ("I love films", "I love movies", "the same but for 'films' / 'movies'"),
        ("My sister Anna is a vet", "My sister is a vet", "the same but for 'anna'"),
    ],
)
def test_the_reason_is_told_in_words(first: str, second: str, reason: str) -> None:
    assert same_statement(first, second) == reason


def test_a_detail_more_is_no_merge() -> None:
    whole = "A dog runs across the grass with a stick in its mouth"
    assert same_statement(whole, whole.replace("A dog", "A fluffy dog")) is None


@given(st.text(max_size=200))
def test_a_text_with_itself_is_the_same(text: str) -> None:
    assert same_statement(text, text) == "the same words"


@given(WORDS | st.text(max_size=60), WORDS | st.text(max_size=60))
def test_the_order_of_the_two_does_not_matter(first: str, second: str) -> None:
    assert (same_statement(first, second) is None) == (same_statement(second, first) is None)


@given(WORDS, WORDS, st.integers(0, 9999), st.integers(0, 9999))
def test_another_number_is_another_memory(before: str, after: str, one: int, other: int) -> None:
    found = same_statement(f"{before} {one} {after}", f"{before} {other} {after}")
    assert (found is not None) == (one == other)


@given(WORDS, WORDS, st.sampled_from(["not", "never", "was", "will", "used to", "without", "only", "might"]))
def test_a_word_that_turns_the_meaning_is_never_left_out(before: str, after: str, word: str) -> None:
    whole = f"I see {before} {word} {after}"
    assert same_statement(whole, f"I see {before} {after}") is None


@given(WORDS)
def test_spaces_stops_and_typographic_apostrophes_tell_nothing(text: str) -> None:
    assert same_statement(f"I'm sure: {text}", f"  I’m  sure: {text} .") is not None


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("I live in Rome", "english"),
        ("Ich wohne in Rom und habe einen Hund", "german"),
        ("J'habite à Rome avec ma femme", "french"),
        ("Vivo en Roma con mi mujer", "spanish"),
        ("Abito a Roma con mia moglie e ho un cane", "italian"),
        ("私はローマに住んでいます", "unsegmented"),
        ("Я живу в Риме", "unknown"),
    ],
)
def test_the_language_is_told_by_its_small_words(text: str, name: str) -> None:
    assert language_of(plain(text)) == name


def test_a_language_without_tables_has_only_empty_ones() -> None:
    assert not any(language("italian").words.values())
    assert all(language(name).words["pairing"] for name in TABLED)


@pytest.mark.parametrize(
    ("word", "reading"),
    [
        ("cutting", ("cut", "ing")),
        ("left", ("leave", "past")),
        ("took_care_of", ("take_care_of", "past")),
        ("wives", ("wife", "s")),
    ],
)
def test_a_form_is_led_back_to_its_lemma(word: str, reading: tuple[str, str]) -> None:
    assert reading in readings(word)


@pytest.mark.parametrize("word", ["news", "evening", "bus", "need"])
def test_a_word_that_looks_like_a_form_is_none(word: str) -> None:
    assert readings(word) == ((word, "base"),)


@pytest.mark.parametrize(("british", "spelled"), [("favourite", "favorite"), ("organised", "organized"), ("four", "four")])
def test_british_spelling_is_american(british: str, spelled: str) -> None:
    assert american(british) == spelled


def test_a_word_stands_behind_its_preposition() -> None:
    tokens = statements("I fly from Paris to Rome on Monday", "english")[0].tokens
    assert [(token.text, token.marker) for token in tokens] == [
        ("i", ""), ("fly", ""), ("paris", "from"), ("rome", "to"), ("monday", "on"),
    ]  # fmt: skip
