"""Each framework is tested in an environment of its own, without what the other tests need; elsewhere its test is skipped."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.settings import Settings


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Commonplace]:
    file = tmp_path / "memory.db"
    with Commonplace(file, user_id="ana", settings=Settings(db=file)) as opened:
        yield opened
