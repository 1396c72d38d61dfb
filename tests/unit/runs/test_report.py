"""A list of runs has an end: the newest of them, one at the least."""

import pytest

from commonplace.domain.runs import Run
from commonplace.runs import report
from commonplace.runs.report import newest_that_fit
from tests.conftest import NOON

RUNS = [
    Run(run_id=f"run_{number}", user_id="local|ana", date=NOON.date(), started_at=NOON, notes=("ß" * 1_000,))
    for number in (3, 2, 1)
]  # fmt: skip
LENGTH = len(RUNS[0].model_dump_json().encode())


@pytest.mark.parametrize(("room", "shown"), [(0, 1), (2 * LENGTH - 1, 1), (2 * LENGTH, 2), (3 * LENGTH - 1, 2)])
def test_the_newest_are_shown_and_the_others_counted(monkeypatch: pytest.MonkeyPatch, room: int, shown: int) -> None:
    monkeypatch.setattr(report, "MOST_BYTES", room)
    found = newest_that_fit(RUNS)
    assert list(found.runs) == RUNS[:shown]
    assert found.notes is not None
    assert found.notes.partial is not None
    assert found.notes.partial.startswith(f"{3 - shown} older ")


def test_nothing_is_told_where_nothing_is_left_out() -> None:
    assert newest_that_fit(RUNS).model_dump(mode="json") == {"runs": [run.model_dump(mode="json") for run in RUNS]}
    assert newest_that_fit([]).model_dump(mode="json") == {"runs": []}
