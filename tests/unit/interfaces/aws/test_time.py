"""How long an invocation works by itself: five seconds, or as the worker of what others had no time for all but a minute."""

from types import SimpleNamespace
from typing import Any

import pytest

from commonplace.interfaces.aws import container, nightly_functions
from commonplace.ports.bundle import Relay


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    now = [1_000.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    return now


def test_a_call_works_for_five_seconds(clock: list[float]) -> None:
    container.begin(29_000)
    clock[0] += 4.99
    assert container.in_time()
    clock[0] += 0.01
    assert not container.in_time()
    assert container.left() == pytest.approx(24)
    container.begin(29_000)
    assert container.in_time()


def test_a_worker_stops_a_minute_early(clock: list[float]) -> None:
    context: Any = SimpleNamespace(get_remaining_time_in_millis=lambda: 900_000)
    assert nightly_functions.night({"Records": []}, context) == {"batchItemFailures": []}
    clock[0] += 839.9
    assert container.in_time()
    clock[0] += 0.1
    assert not container.in_time()
    assert container.left() == pytest.approx(60)


class Rows:
    """So many writes wait; `asked` counts the looks at them."""

    def __init__(self, waiting: int) -> None:
        self.waiting, self.asked = waiting, 0
        self.sent: list[tuple[str, str, int]] = []

    def has_more_than(self, most: int, _user_id: str) -> bool:
        self.asked += 1
        return self.waiting > most

    def send_run(self, *message: Any) -> None:
        self.sent.append(message)


@pytest.mark.parametrize(("waiting", "goes_on", "after"), [(0, True, 0), (200, True, 0), (201, False, 30)])
def test_a_run_pauses_while_the_index_is_far_behind(waiting: int, goes_on: bool, after: int) -> None:
    rows: Any = Rows(waiting)
    relay = Relay(lambda: True, rows, rows)
    assert relay.may_go_on("ana", 0) is goes_on
    assert relay.may_go_on("ana", 24)  # it is not looked at before each change
    assert relay.may_go_on("ana", 25) is goes_on
    assert rows.asked == 2
    relay.hand_over("ana", "run_1")
    assert rows.sent == [("ana", "run_1", after)]


def test_without_an_index_nothing_waits_and_without_time_nothing_goes_on() -> None:
    rows: Any = Rows(1_000)
    assert Relay(lambda: True, rows).may_go_on("ana", 0)
    assert not Relay(lambda: False, rows).may_go_on("ana", 1)
