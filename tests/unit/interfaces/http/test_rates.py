import pytest

from commonplace.interfaces.http import access
from commonplace.interfaces.http.access import Rates


def test_a_minutes_worth_at_once_and_then_evenly() -> None:
    now = [100.0]
    asked = Rates(60, lambda: now[0])
    assert [asked.wait("ana") for _ in range(60)] == [0] * 60
    assert asked.wait("ana") == pytest.approx(1)
    now[0] += 0.5
    assert asked.wait("ana") == pytest.approx(0.5)  # who asks in vain does not wait longer for it
    now[0] += 0.5
    assert asked.wait("ana") == 0
    assert asked.wait("ana") == pytest.approx(1)


def test_one_does_not_wait_for_another() -> None:
    asked = Rates(1, lambda: 0.0)
    assert asked.wait("ana") == 0
    assert asked.wait("ana") > 0
    assert asked.wait("ben") == 0


def test_a_pause_gives_no_more_than_a_minutes_worth() -> None:
    now = [0.0]
    asked = Rates(3, lambda: now[0])
    asked.wait("ana")
    now[0] = 1e6
    assert sum(asked.wait("ana") == 0 for _ in range(10)) == 3


def test_no_crowd_of_callers_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(access, "_MOST_CALLERS", 10)
    asked = Rates(1, lambda: 0.0)
    for number in range(1000):
        assert asked.wait(str(number)) == 0
    assert len(asked._buckets) == 10
