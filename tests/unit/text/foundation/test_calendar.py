"""The one table of months and weekdays."""

import pytest

from commonplace.text.foundation.calendar import (
    LANGUAGES_IN_TIMES,
    calendar_in_times,
    calendars,
    is_calendar_word,
    is_weekday,
    month_names,
)
from commonplace.text.foundation.languages import languages

SPACED = [code for code in calendars() if code != "ja"]


@pytest.mark.parametrize("code", SPACED)
def test_a_language_has_twelve_months_and_seven_weekdays(code: str) -> None:
    names = calendars()[code]
    assert list(names.months.values()) == list(names.short_months.values()) == list(range(1, 13))
    assert list(names.weekdays.values()) == list(range(7))


@pytest.mark.parametrize("code", LANGUAGES_IN_TIMES)
def test_times_are_read_in_every_usual_spelling(code: str) -> None:
    usual, read = calendars()[code], calendar_in_times(code)
    assert usual.months.items() <= read.months.items()
    assert usual.weekdays.items() <= read.weekdays.items()


def test_each_language_of_the_calendar_is_a_known_one() -> None:
    assert calendars().keys() <= languages().keys()


def test_a_second_spelling_is_the_same_month_and_no_usual_one() -> None:
    assert calendar_in_times("de").months["jänner"] == 1
    assert "jänner" not in calendars()["de"].months
    assert calendar_in_times("en").short_months["sept"] == calendar_in_times("en").short_months["sep"] == 9
    assert "may" not in calendar_in_times("en").short_months
    assert {"jänner", "févr", "setiembre"} <= set(month_names())


@pytest.mark.parametrize("word", ["march", "marz", "mondays", "dezember", "月曜", "morgen", "sept"])
def test_a_name_is_known_as_the_tokenizer_has_it(word: str) -> None:
    assert is_calendar_word(word)


def test_a_weekday_is_no_month_and_neither_is_any_word() -> None:
    assert is_weekday("fridays")
    assert not is_weekday("march")
    assert not is_calendar_word("marching")
