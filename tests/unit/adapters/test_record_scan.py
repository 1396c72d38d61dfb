"""Reading a user's records within a budget while the index is down."""

from dataclasses import dataclass, field
from typing import Any

from commonplace.adapters import record_scan
from commonplace.adapters.record_scan import CachedRecords
from commonplace.domain.memory import Memory
from commonplace.ports.values import Stored
from tests.conftest import NOON


def stored(number: int, user_id: str = "ana", **changes: Any) -> Stored:
    known: dict[str, Any] = {
        "memory_id": f"mem_{number:026d}", "user_id": user_id, "raw_text": "tea", "normalized_text": "tea",
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON,
    }  # fmt: skip
    return Stored(Memory(**{**known, **changes}), None)


@dataclass
class Table:
    """What is there, what of it waits, how often all was read, and the time."""

    there: list[Stored] = field(default_factory=list)
    waiting: list[Stored] = field(default_factory=list)
    reads: list[str] = field(default_factory=list)
    now: float = 0.0

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        self.reads.append(user_id)
        return sorted(self.there, key=lambda one: one.memory.memory_id, reverse=True)[:limit], len(self.there) <= limit

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        return [one for one in self.waiting if one.memory.user_id == user_id], True

    def rationed(self) -> CachedRecords:
        return CachedRecords(self, self, 10.0, lambda: self.now)  # type: ignore[arg-type]


def numbers(read: list[Stored]) -> list[int]:
    return [int(one.memory.memory_id.removeprefix("mem_")) for one in read]


def test_all_is_read_once_in_a_while_and_own_writes_are_seen_each_time() -> None:
    table = Table(there=[stored(1), stored(2), stored(3)])
    records = table.rationed()
    assert [(numbers(read), whole) for read, whole in [records.newest("ana", 9)]] == [([3, 2, 1], True)]
    table.waiting = [stored(2, status="deleted", version=2), stored(3, version=2, importance=0.9), stored(4)]
    table.now = 9.9
    for _ in range(50):
        read, whole = records.newest("ana", 9)
        assert (numbers(read), whole) == ([4, 3, 1], False)
    assert read[1].memory.importance == 0.9
    assert table.reads == ["ana"]
    table.now = 10.0
    assert records.newest("ana", 9)[1]
    assert table.reads == ["ana", "ana"]


def test_each_user_has_a_budget_of_their_own() -> None:
    table = Table(there=[stored(1)])
    records = table.rationed()
    for user in ("ana", "ben", "ana", "ben"):
        records.newest(user, 9)
    assert table.reads == ["ana", "ben"]


def test_what_waits_counts_into_the_limit() -> None:
    table = Table(there=[stored(1), stored(2)], waiting=[stored(3)])
    read, whole = table.rationed().newest("ana", 2)
    assert (numbers(read), whole) == ([3, 2], False)


def test_what_is_kept_of_all_users_has_an_end(monkeypatch: Any) -> None:
    monkeypatch.setattr(record_scan, "_CACHE_SIZE", 8)
    table = Table(there=[stored(1), stored(2), stored(3)])
    records = table.rationed()
    for user in ("ana", "ben", "cleo", "cleo", "ben", "ana"):
        records.newest(user, 9)
    assert table.reads == ["ana", "ben", "cleo", "ana"]
