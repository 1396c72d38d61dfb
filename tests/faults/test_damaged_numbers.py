"""A number of a damaged file that SQLite has no room for: the error names the file and what to do."""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from commonplace.client.memory import Commonplace
from commonplace.domain.errors import CommonplaceError, ErrorCode


@pytest.mark.sample
def test_a_fence_beyond_all_numbers_is_told_as_damage(tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    with Commonplace(file, user_id="ana") as memory:
        memory.store_memory("I live in Porto.")
        with pytest.raises(CommonplaceError, match=r"no operation|nothing|there is"):
            memory.undo("last")
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("UPDATE leases SET number = 1e30, until = 0")
    with Commonplace(file, user_id="ana") as memory, pytest.raises(CommonplaceError, match="doctor") as told:
        memory.undo("last")
    assert told.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert str(file) in told.value.message
