"""A small memory that is full of a user's words, copied for each example, so that what fails can be told by one example."""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from pytest_socket import _remove_restrictions, socket_allow_hosts

from commonplace import Commonplace
from commonplace.settings import Settings
from tests.fuzz.effort import LONG, write_counts
from tests.fuzz.hostile import SAYINGS
from tests.fuzz.owed import MARK

NOON = datetime(2026, 5, 20, 12, 0, tzinfo=ZoneInfo("Europe/Berlin"))
collect_ignore = [] if LONG else ["test_cloud.py"]  # its servers take a minute to start


@pytest.fixture(autouse=True)
def _loopback_only() -> Iterator[None]:
    socket_allow_hosts(["127.0.0.1", "::1", "localhost"])
    yield
    _remove_restrictions()


@dataclass(frozen=True, repr=False)
class Kept:
    """A memory file that is copied for each example. `ids`: of its memories, and a key."""

    file: Path
    ids: tuple[str, ...]
    folder: Path

    @contextmanager
    def opened(self, number: Iterator[int] = count()) -> Iterator[tuple[Commonplace, Path]]:  # noqa: B008 - one count for all
        """A copy of it, as the user has it, and where it is."""
        file = self.folder / f"{next(number)}" / "memory.db"
        file.parent.mkdir()
        shutil.copyfile(self.file, file)
        with open_file(file) as memory:
            yield memory, file
        shutil.rmtree(file.parent)


Opened = Callable[[], AbstractContextManager[tuple[Commonplace, Path]]]


def open_file(file: Path) -> Commonplace:
    """The user's memory in a file, by rules and at noon."""
    return Commonplace(file, user_id="ana", now=lambda: NOON, settings=Settings(db=file))


@pytest.fixture(scope="module")
def kept(tmp_path_factory: pytest.TempPathFactory) -> Kept:
    folder = tmp_path_factory.mktemp("fuzz")
    with open_file(folder / "memory.db") as memory:
        ids = [memory.store_memory(said).memory_id for said in SAYINGS]
        memory.write_memory("garden.plan", f"Tomatoes along the wall, as {MARK} has them", "personal_context")
        memory.update_memory("garden.plan", f"Beans, since {MARK} gave me some")
        memory.delete_memory(memory_id=ids[1])
        memory.record_interactions([{"type": "explicit", "text": SAYINGS[1]}])
        memory.nightly("rules")
    return Kept(folder / "memory.db", ("garden.plan", *ids), folder)


def pytest_sessionfinish() -> None:
    """Leaves the counts where `make fuzz` looks for them."""
    if told := os.environ.get("COMMONPLACE_FUZZ_COUNTS"):
        write_counts(Path(told))
