"""Every read of rows has their owner in its condition, whatever an index names."""

from pathlib import Path

import pytest

from commonplace import Commonplace
from commonplace.adapters.sqlite import index as sqlite_index
from commonplace.ports.values import Visibility

pytestmark = pytest.mark.integration


def test_rows_of_another_user_that_the_word_index_hands_over_are_not_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "memory.db"
    with Commonplace(file, user_id="ben") as other:
        other.store_memory("The user keeps a heron in the garden.")
    monkeypatch.setattr(sqlite_index, "_compute_word_shares", lambda *_: dict.fromkeys(range(1, 50), 1.0))
    monkeypatch.setattr(sqlite_index, "_find_nearest", lambda *_: list(range(1, 50)))
    with Commonplace(file, user_id="ana") as memory:
        stored = memory.store_memory("The user keeps a heron in the garden.")
        context = memory.nights().context
        visibility = Visibility("local|ana", ("global",), context.caller.now)
        found = context.ports.index.similar(visibility, ["heron", "garden"], None, 10)
        assert [one.memory_id for one in found] == [stored.memory_id]
