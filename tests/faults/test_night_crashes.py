"""A night that is killed (-9) before whatever it would write next; the next one leaves what a night that lived leaves."""

import shutil
import signal
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.faults.night_that_dies import night
from tests.scripted_nights import told

pytestmark = pytest.mark.integration

OF_WRITING = {"created_at", "updated_at", "valid_to", "expires_at", "purge_at"}
IDS = ("memory_id", "superseded_by", "supersedes")
SAID = ["d1", "d2"]


@dataclass(frozen=True)
class Left:
    """What a night leaves behind."""

    memories: list[dict[str, Any]]
    ledger: list[tuple[str, int, bool]]
    operations: list[tuple[str, str, str, int]]
    statuses: list[str]
    tokens: int


def opened(file: Path) -> Commonplace:
    return Commonplace(file, user_id="ana", now=lambda: NOON, settings=Settings(db=file))


@pytest.fixture(scope="module")
def seed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with memories, and two days that change each of them in another way."""
    file = tmp_path_factory.mktemp("crashes") / "seed.db"
    with opened(file) as memory:
        memory.write_memory("home", "I live in Berlin.", "personal_context", "durable")
        memory.store_memory("My dog is Bo.")
        memory.store_memory("I eat nothing but turnips.", context={"place": {"session_id": "d1", "position": 0}})
        memory.record_interactions(
            [
                told("d1", "I live in Munich.", "I play the cello.", time="2026-05-19T09:00:00+02:00"),
                told("d2", "The dog is gone.", "Forget that I eat turnips.", "I own a boat."),
            ]
        )
    return file


@pytest.fixture
def copied(seed: Path, tmp_path: Path) -> Callable[[], Path]:
    def copy() -> Path:
        return Path(shutil.copy(seed, tmp_path / "memory.db"))

    return copy


def killed(file: Path, dies_before: int, minutes: int = 0) -> bool:
    """Runs a night in a process of its own; whether it was killed, and did not get to its end."""
    command = [sys.executable, "-m", "tests.faults.night_that_dies", str(file), str(dies_before), str(minutes)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
    assert done.returncode in (0, -signal.SIGKILL), done.stderr
    return done.returncode != 0


def left_in(file: Path) -> Left:
    """What is in a file, with each memory's content in the place of its id."""
    with opened(file) as memory:
        records = list(memory.export())
        said = {one["memory_id"]: one["raw_text"] or "(erased)" for one in records}
        context, runs = memory.nights().context, memory.runs()
        entries = context.night.ledger.entries(context.user_id, SAID)
        for one in records:
            one |= {name: said.get(one[name]) for name in IDS}
        return Left(
            memories=[{name: value for name, value in one.items() if name not in OF_WRITING} for one in records],
            ledger=[(entry.state, entry.failures, entry.interaction is None) for entry in entries],
            operations=[(op.kind, op.outcome, op.why, len(op.closed)) for run in runs for op in run.operations],
            statuses=[run.status for run in runs],
            tokens=sum(run.input_tokens for run in runs),
        )


def paid(file: Path) -> Counter[str]:
    return Counter(file.with_suffix(".paid").read_text("utf-8").split())


@pytest.mark.timeout(300)
def test_a_night_that_is_killed_at_any_step_is_finished_by_the_next(copied: Callable[[], Path], tmp_path: Path) -> None:
    file = copied()
    steps = night(file)
    expected = left_in(file)
    assert expected.statuses == ["done"]
    assert Counter(outcome for _, outcome, _, _ in expected.operations) == {"applied": 5}
    assert sum(one["status"] == "active" for one in expected.memories) == 3
    assert expected.ledger == [("read", 0, True), ("read", 0, True)]
    for step in range(1, steps + 1):
        for old in tmp_path.iterdir():
            old.unlink()
        file = copied()
        assert killed(file, step), step
        night(file, minutes=11)
        assert left_in(file) == expected, step
        assert max(paid(file).values()) <= 2, step  # twice only where it died before the first was saved
        assert sum(paid(file).values()) <= 3, step


def test_a_night_that_is_killed_again_and_again_gets_to_its_end(copied: Callable[[], Path], tmp_path: Path) -> None:
    file = copied()
    night(file)
    expected = left_in(file)
    for old in tmp_path.iterdir():
        old.unlink()
    file = copied()
    deaths = 0
    while killed(file, dies_before=3 + deaths, minutes=11 * deaths):
        deaths += 1
    assert deaths > 4
    assert left_in(file) == expected
