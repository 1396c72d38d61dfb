"""Holidays and seasons, by year and by zone."""

from datetime import date
from itertools import pairwise
from zoneinfo import available_timezones

import pytest

from commonplace.text.time_ranges import period
from commonplace.text.time_ranges.language import LANGUAGES, phrases_of


@pytest.mark.parametrize(
    ("name", "year", "zone", "own_day"),
    [
        ("easter", 2024, "", date(2024, 3, 31)), ("easter", 2025, "", date(2025, 4, 20)),
        ("good_friday", 2026, "", date(2026, 4, 3)), ("pentecost", 2026, "", date(2026, 5, 24)),
        ("thanksgiving", 2024, "America/New_York", date(2024, 11, 28)),
        ("thanksgiving", 2024, "America/Vancouver", date(2024, 10, 14)),
        ("memorial_day", 2025, "", date(2025, 5, 26)), ("mothers_day", 2025, "Europe/Berlin", date(2025, 5, 11)),
        ("mothers_day", 2025, "Europe/Paris", date(2025, 5, 25)), ("christmas", 2025, "", date(2025, 12, 25)),
    ],
)  # fmt: skip
def test_a_holiday_has_its_own_day(name: str, year: int, zone: str, own_day: date) -> None:
    own = period.holiday(name, year, zone, whole=False)
    assert (own.start.date(), (own.end - own.start).days) == (own_day, 1)
    whole = period.holiday(name, year, zone)
    assert whole.start <= own.start
    assert own.end <= whole.end


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_holiday_that_a_language_names_is_known(language: str) -> None:
    named = set(phrases_of(language, "holiday").values())
    assert named
    assert all(period.holiday(name, 2025, "") for name in named)


@pytest.mark.parametrize(
    ("zone", "january"),
    [
        ("Europe/Berlin", 12), ("", 12), ("Australia/Sydney", 6), ("America/Argentina/Salta", 6), ("Pacific/Auckland", 6),
        ("Africa/Johannesburg", 6), ("America/Sao_Paulo", 6), ("America/Bogota", 12), ("Africa/Lagos", 12),
    ],
)  # fmt: skip
def test_a_season_follows_the_hemisphere_of_the_zone(zone: str, january: int) -> None:
    assert zone in available_timezones() | {""}
    assert period.season(12, 2025, zone).start.month == january


def test_seasons_of_a_year_do_not_overlap_in_the_south() -> None:
    found = sorted((period.season(month, 2025, "NZ") for month in (3, 6, 9, 12)), key=lambda one: one.start)
    assert [one.start.month for one in found] == [3, 6, 9, 12]
    assert all(first.end == second.start for first, second in pairwise(found))


def test_only_a_holiday_without_a_date_of_its_own_moves() -> None:
    assert period.is_movable("easter", "")
    assert not period.is_movable("christmas", "")
    assert period.is_movable("fathers_day", "UTC")
    assert not period.is_movable("fathers_day", "Europe/Madrid")
