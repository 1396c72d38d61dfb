"""The laws of the token budget."""

from concurrent.futures import ThreadPoolExecutor
from datetime import date

from commonplace.ports.night import NightPorts

TODAY, TOMORROW = date(2026, 5, 20), date(2026, 5, 21)
ANA, BEN = "local|ana", "local|ben"


def test_a_user_reserves_up_to_the_limit(night: NightPorts) -> None:
    assert night.budget.reserve(ANA, TODAY, 60, 100, 1_000)
    assert not night.budget.reserve(ANA, TODAY, 41, 100, 1_000)
    assert night.budget.reserve(ANA, TODAY, 40, 100, 1_000)
    assert night.budget.reserve(BEN, TODAY, 100, 100, 1_000)


def test_all_users_together_reserve_up_to_theirs(night: NightPorts) -> None:
    assert night.budget.reserve(ANA, TODAY, 60, 100, 100)
    assert not night.budget.reserve(BEN, TODAY, 41, 100, 100)
    assert night.budget.reserve(BEN, TODAY, 40, 100, 100)


def test_a_refusal_by_either_limit_takes_nothing(night: NightPorts) -> None:
    assert not night.budget.reserve(ANA, TODAY, 60, 50, 100)
    assert not night.budget.reserve(ANA, TODAY, 60, 100, 50)
    assert night.budget.reserve(ANA, TODAY, 100, 100, 100)


def test_each_day_begins_anew(night: NightPorts) -> None:
    assert night.budget.reserve(ANA, TODAY, 100, 100, 100)
    assert night.budget.reserve(ANA, TOMORROW, 100, 100, 100)


def test_what_was_not_used_comes_back(night: NightPorts) -> None:
    assert night.budget.reserve(ANA, TODAY, 100, 100, 100)
    night.budget.settle(ANA, TODAY, 100, 30)
    assert not night.budget.reserve(ANA, TODAY, 71, 100, 100)
    assert not night.budget.reserve(BEN, TODAY, 71, 100, 100)
    assert night.budget.reserve(ANA, TODAY, 70, 100, 100)


def test_what_was_used_beyond_is_taken(night: NightPorts) -> None:
    assert night.budget.reserve(ANA, TODAY, 10, 100, 100)
    night.budget.settle(ANA, TODAY, 10, 95)
    assert not night.budget.reserve(ANA, TODAY, 6, 100, 100)
    assert not night.budget.reserve(BEN, TODAY, 6, 100, 100)
    assert night.budget.reserve(BEN, TODAY, 5, 100, 100)


def test_ten_at_once_never_take_more_than_there_is(night: NightPorts) -> None:
    with ThreadPoolExecutor(10) as pool:
        taken = list(pool.map(lambda number: night.budget.reserve(f"local|{number % 3}", TODAY, 10, 50, 50), range(10)))
    assert sum(taken) == 5
