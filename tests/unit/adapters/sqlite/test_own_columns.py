"""What the index keeps of one user in memory, and what it counts of them."""

from collections.abc import Callable
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.adapters.sqlite import index
from commonplace.adapters.sqlite.columns import Columns
from commonplace.adapters.sqlite.rows import known_owner

Opener = Callable[..., Commonplace]


def found(memory: Commonplace, query: str) -> list[str]:
    return [hit.id for hit in memory.search_memory(query).results]


def test_a_search_that_is_broken_off_misses_nothing_for_the_next(
    open_memory: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory = open_memory()
    older = memory.store_memory("I drink green tea.", wait=False).memory_id
    newer = memory.store_memory("My flat is in Graz.", wait=False).memory_id
    memory.delete_memory(memory_id=older)
    elsewhere = open_memory()  # its first search reads both, and the one that was changed last first
    read: Any = Columns._read_row
    rows: list[int] = []

    def broken_off(columns: Columns, row: tuple[Any, ...]) -> None:
        rows.append(row[0])
        if len(rows) == 2:
            raise KeyboardInterrupt
        read(columns, row)

    with monkeypatch.context() as patched:
        patched.setattr(Columns, "_read_row", broken_off)
        with pytest.raises(KeyboardInterrupt):
            elsewhere.search_memory("Graz")
    assert len(rows) == 2
    assert found(elsewhere, "Graz") == found(memory, "Graz") == [newer]


def test_how_rare_a_word_is_depends_on_the_user_s_own_memories(open_memory: Opener) -> None:
    ana, ben = open_memory(), open_memory("ben")
    for text in ("I drink green tea.", "I like tea.", "My flat is in Graz."):
        ana.store_memory(text, wait=False)

    def shares() -> dict[int, float]:
        with ana._local.ports.records._database.reading() as connection:  # type: ignore[attr-defined]
            owner = known_owner(connection, "local|ana")
            assert owner is not None
            return index._compute_word_shares(connection, owner, ["green", "tea", "graz"])

    alone = shares()
    assert len(alone) == 3
    for number in range(20):
        ben.store_memory(f"I grow {number} tulips and green beans.", wait=False)
    assert shares() == alone
