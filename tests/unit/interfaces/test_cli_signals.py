"""A signal that stops a command is never lost."""

import fcntl
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from filelock import FileLock
from pydantic import BaseModel, field_serializer

from commonplace.interfaces import cli


class Signalled(BaseModel):
    """A model that gets the signal while pydantic calls its serializer."""

    value: int = 1

    @field_serializer("value")
    def _send(self, value: int) -> int:
        os.kill(os.getpid(), signal.SIGTERM)
        return sum(range(value + 1))


@pytest.fixture(autouse=True)
def _handler() -> Iterator[None]:
    former = signal.signal(signal.SIGTERM, cli.stop)
    yield
    signal.signal(signal.SIGTERM, former)


def test_a_signal_is_raised_at_once() -> None:
    with pytest.raises(KeyboardInterrupt):
        os.kill(os.getpid(), signal.SIGTERM)


def test_a_signal_inside_pydantic_is_raised_after_it() -> None:
    dumped = []

    def dump() -> None:
        dumped.append(Signalled().model_dump_json())
        time.sleep(10)

    with pytest.raises(KeyboardInterrupt):
        dump()
    assert dumped == ['{"value":1}']


def test_a_signal_inside_a_file_lock_leaves_the_file_unlocked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    flock, file = fcntl.flock, tmp_path / "lock"

    def lock_and_signal(descriptor: int, operation: int) -> None:
        flock(descriptor, operation)
        if operation & fcntl.LOCK_EX:
            os.kill(os.getpid(), signal.SIGTERM)

    def hold() -> None:
        with FileLock(file):
            time.sleep(10)

    monkeypatch.setattr(fcntl, "flock", lock_and_signal)
    with pytest.raises(KeyboardInterrupt):
        hold()
    monkeypatch.undo()
    with FileLock(file, timeout=0):
        pass
