"""The one table of number words."""

import pytest

from commonplace.text.foundation.languages import languages
from commonplace.text.foundation.numbers import cardinals, digit_words, every_number, numbers_of


@pytest.mark.parametrize(
    ("code", "word", "value"),
    [
        ("en", "seventeen", 17), ("de", "dreiundzwanzig", 23), ("nl", "eenentwintig", 21), ("it", "ventitré", 23),
        ("es", "veintidós", 22), ("fr", "quatorze", 14), ("pt", "três", 3), ("de", "zweihundert", 200),
    ],
)  # fmt: skip
def test_a_word_counts(code: str, word: str, value: int) -> None:
    assert numbers_of(code)[word] == value


def test_a_language_without_a_row_has_no_numbers() -> None:
    assert "fi" in languages()
    assert not numbers_of("fi")
    assert not cardinals("fi")


def test_a_hint_speaks_for_a_number_and_is_none_by_itself() -> None:
    assert every_number()["noon"] == {12}
    assert "noon" not in numbers_of("en")


def test_a_word_of_two_languages_may_mean_either() -> None:
    assert every_number()["once"] == {1, 11}


def test_digits_said_aloud_count_from_0_to_9() -> None:
    assert set(digit_words().values()) == set(range(10))
    assert digit_words()["oh"] == 0
