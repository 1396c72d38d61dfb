"""After an erasure no byte of the folder holds a word that only the erased memory had, whatever happened before."""

import tempfile
from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings

from commonplace import Commonplace
from commonplace.bootstrap import local as bootstrap_local
from commonplace.runs.backup_file import stored_backups
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.erasing_histories import WORD, History, Step, histories
from tests.examples import TIMES
from tests.word_vectors import WordVectors

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module", autouse=True)
def _embedder() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(bootstrap_local, "build_embedder", WordVectors)
        yield


def clock() -> Iterator[datetime]:
    return (NOON + timedelta(minutes=minute) for minute in count())


@pytest.mark.timeout(1_800 if TIMES else 300)
@settings(max_examples=200 * TIMES or 10)
@given(steps=histories(with_files=True))
def test_no_byte_of_the_folder_holds_the_word(steps: list[Step]) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder, times = Path(name), clock()
        path = folder / "memory.db"
        with Commonplace(path, user_id="ana", now=lambda: next(times), settings=Settings(db=path)) as memory:
            history = History(memory, folder)
            history.run(steps)
            assert any(WORD.encode() in one.read_bytes() for one in folder.iterdir())
            history.erase()
            kept = memory._local.ports.files
            assert kept is not None
            assert WORD not in repr(stored_backups(kept, "local|ana"))  # they are compressed
        files = [one for one in folder.rglob("*") if one.is_file()]
        assert path in files
        assert [one.name for one in files if WORD.encode() in one.read_bytes().lower()] == []
