"""What is not in line between records and documents, and what a repair makes of it: every kind, over documents by hand."""

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any, cast

import pytest

from commonplace.domain.memory import Memory
from commonplace.indexing.consistency import REPAIRED, RecordFaults, UserIndex, check_consistency, check_part, repair
from commonplace.ports.bundle import Upkeep
from commonplace.ports.values import IndexChange, IndexedDocument, IndexOutcome, OutOfTime, Stored, Tombstone
from commonplace.retrieval.documents import digest, record_hash
from tests.conftest import NOON

ANA = "local|ana"


def stored(name: str, version: int = 1, text: str = "", user_id: str = ANA, **fields: object) -> Stored:
    text = text or name
    whole = {
        "memory_id": name, "user_id": user_id, "raw_text": text, "normalized_text": text, "memory_type": "fact",
        "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON, "version": version,
        **fields,
    }  # fmt: skip
    return Stored(Memory.model_validate(whole), None)


@dataclass
class Kept:
    """Records, as a store of them and as what waits for the index."""

    there: list[Stored]
    waits: list[Stored] = field(default_factory=list)

    def every(self) -> Iterator[Stored]:
        yield from self.there

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        yield from (one for one in self.there if one.memory.user_id == user_id and one.memory.memory_id > (after or ""))

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        return [one for one in self.of_user(user_id) if one.memory.memory_id in memory_ids]

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        return [one.memory for one in self.stored(user_id, memory_ids)]

    def all(self, user_id: str) -> Iterator[Memory]:
        yield from (one.memory for one in self.of_user(user_id))

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        return [one for one in self.waits if one.memory.user_id == user_id], True


@dataclass
class Documents:
    """Documents by id: the newest version stays. `refuses`: by id what a change of it ends in."""

    there: dict[str, IndexedDocument]
    refuses: dict[str, IndexOutcome] = field(default_factory=dict)
    written: list[IndexChange] = field(default_factory=list)

    def look_up(self, records: Sequence[Stored]) -> list[IndexedDocument | None]:
        return [self.there.get(one.memory.memory_id) for one in records]

    def every(self) -> Iterator[IndexedDocument]:
        yield from sorted(self.there.values(), key=lambda one: one.user_id)

    def of_user(self, user_id: str) -> Iterator[IndexedDocument]:
        yield from (one for one in self.every() if one.user_id == user_id)

    def miscounted(self, user_id: str) -> list[str]:  # noqa: ARG002
        return []

    def recount(self, user_id: str) -> None: ...

    def mend(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        self.written += changes
        return [self._write(one) for one in changes]

    def _write(self, one: IndexChange) -> IndexOutcome:
        name = one.memory_id if isinstance(one, Tombstone) else one.memory.memory_id
        if name in self.refuses:
            return self.refuses[name]
        if isinstance(one, Tombstone):
            del self.there[name]
        else:
            self.there[name] = document(one)
        return IndexOutcome("done")


def document(one: Stored, **other: object) -> IndexedDocument:
    memory = one.memory
    held = IndexedDocument(memory.user_id, memory.memory_id, memory.version, digest(memory))
    return replace(held, **cast(Any, other))


def index_of(kept: Kept, *documents: IndexedDocument, **how: Any) -> tuple[UserIndex, Documents]:
    held = Documents({one.memory_id: one for one in documents}, **how)
    waiting = cast(Any, kept) if kept.waits else None
    return UserIndex(ANA, NOON, cast(Any, kept), Upkeep(kept, held, waiting)), held


FINE, MISSING, BEHIND, AHEAD, DIFFERENT = (
    stored("m1"), stored("m2"), stored("m3", 3), stored("m4", 4), stored("m5", 5),
)  # fmt: skip
ILL = (
    document(FINE), document(BEHIND, version=2), document(AHEAD, version=9), document(DIFFERENT, digest="other"),
    IndexedDocument(ANA, "m6", 6, ""), IndexedDocument("local|ben", "m7", 7, ""),
)  # fmt: skip
OWN = [FINE, MISSING, BEHIND, AHEAD, DIFFERENT]


def test_each_kind_is_told_and_nothing_of_others() -> None:
    user, held = index_of(Kept([*OWN, stored("m8", user_id="local|ben")]), *ILL)
    part = check_part(user, None, 100)
    assert [(one.kind, one.id, one.repairable) for one in part.findings] == [
        ("missing", "m2", True), ("behind", "m3", True), ("ahead", "m4", False), ("different", "m5", True),
        ("orphaned", "m6", True),
    ]  # fmt: skip
    assert (part.checked, part.last) == (5, None)
    assert "commonplace reindex" in part.findings[2].detail
    assert record_hash(DIFFERENT.memory) in part.findings[3].detail
    assert held.written == []


def test_a_repair_writes_those_alone_and_leaves_what_is_ahead() -> None:
    user, held = index_of(Kept(OWN), *ILL)
    planned = repair(user, "missing", dry_run=True)
    assert held.written == []
    done = repair(user, "missing", dry_run=False)
    assert done == planned
    assert (done.indexed, done.removed, done.unchanged) == (3, 1, 1)
    assert [(one.id, one.code) for one in done.failed] == [("m4", "ahead")]
    assert held.written == [Tombstone(ANA, "m6", 6), MISSING, BEHIND, DIFFERENT]
    assert [one.kind for one in check_part(user, None, 100).findings] == ["ahead"]


def test_all_writes_the_others_too() -> None:
    user, held = index_of(Kept(OWN), *ILL)
    done = repair(user, "all", dry_run=False)
    assert (done.indexed, done.removed, done.unchanged) == (4, 1, 0)
    assert AHEAD not in held.written


def test_a_repair_that_runs_out_of_time_goes_on_behind_what_it_did(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonplace.indexing.consistency.BATCH", 2)
    whole = repair(index_of(Kept(OWN), *ILL)[0], "missing", dry_run=True)
    user, held = index_of(Kept(OWN), *ILL)

    left = iter(range(len(OWN) + 1 + 2))  # the survey's records and documents, then two of three parts

    def in_time(things: Iterable[Any], /) -> Iterator[Any]:
        for thing in things:
            if next(left, None) is None:
                raise OutOfTime
            yield thing

    with pytest.raises(OutOfTime) as stopped:
        repair(replace(user, in_time=cast(Any, in_time)), "missing", dry_run=False)
    assert held.written == [Tombstone(ANA, "m6", 6), MISSING, BEHIND]
    so_far = REPAIRED.validate_python(json.loads(json.dumps(stopped.value.so_far)))
    assert (so_far.checked, so_far.last, so_far.indexed) == (4, "m4", 2)
    done = repair(user, "missing", False, so_far)
    assert done == whole
    assert held.written == [Tombstone(ANA, "m6", 6), MISSING, BEHIND, DIFFERENT]


def test_what_the_index_refuses_is_told_by_its_code() -> None:
    refuses = {
        "m2": IndexOutcome("retry", "429"), "m3": IndexOutcome("failed", "400"), "m5": IndexOutcome("failed", "conflict"),
    }  # fmt: skip
    user, _ = index_of(Kept([one for one in OWN if one is not AHEAD]), *ILL[:2], ILL[3], refuses=refuses)
    done = repair(user, "missing", dry_run=False)
    assert [(one.id, one.code) for one in done.failed] == [("m2", "unavailable"), ("m3", "refused"), ("m5", "conflict")]
    assert (done.indexed, done.unchanged) == (0, 1)


def test_what_waits_for_the_index_is_in_line() -> None:
    user, _ = index_of(Kept(OWN, waits=[MISSING, BEHIND]), *ILL)
    assert [one.kind for one in check_part(user, None, 100).findings] == ["ahead", "different", "orphaned"]


def test_what_is_written_while_it_is_compared_is_in_line() -> None:
    class Written(Kept):
        def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
            yield from [stored("m1", 1), stored("m2", 1)] if not self.waits else super().of_user(user_id, after)
            self.waits.append(stored("m0"))

    now = [stored("m1", 2, "milk")]  # m1 was changed since, m2 was purged
    user, _ = index_of(Written(now), document(now[0]))
    assert check_part(user, None, 100).findings == []


def test_the_doctor_finds_the_same_of_all() -> None:
    kept, held = Kept([*OWN, stored("m8", user_id="local|ben", superseded_by="nobody")]), Documents({})
    held.there = {one.memory_id: one for one in ILL}
    found = check_consistency(kept, cast(Any, kept), held, False, lambda _: None, NOON)
    assert found.inconsistencies == {
        "missing": 2, "behind": 1, "ahead": 1, "different": 1, "orphaned": 2, "broken_link": 1,
    }  # fmt: skip
    assert check_consistency(kept, cast(Any, kept), held, True, lambda _: None, NOON).mended == 6
    left = check_consistency(kept, cast(Any, kept), held, True, lambda _: None, NOON).inconsistencies
    assert left == {"ahead": 1, "broken_link": 1}


def faults(*memories: Stored, now: datetime = NOON) -> list[tuple[str, str]]:
    kept, found = Kept(list(memories)), RecordFaults(now)
    for one in memories:
        found.take(one.memory)
    return [(one.kind, one.id) for one in found.findings(cast(Any, kept))]


def test_users_hold_their_own_places() -> None:
    mine, theirs = stored("m1", text="tea", key="role"), stored("m2", text="tea", user_id="local|ben", key="role")
    assert faults(mine, theirs) == []
    assert faults(mine, stored("m3", text="milk", key="role")) == [("same_key", "m3")]
    assert faults(mine, stored("m3", text="Tea", key="other")) == [("same_content", "m3")]
    assert faults(mine, stored("m3", text="tea", key="role", status="superseded")) == []
    assert faults(mine, stored("m3", text="tea", key="role", expires_at=NOON)) == []


def test_a_link_stays_with_its_user() -> None:
    assert faults(stored("m1", supersedes="m2"), stored("m2", text="milk", user_id="local|ben")) == [("broken_link", "m1")]
    assert faults(stored("m1", supersedes="m2"), stored("m2", text="milk", status="superseded", superseded_by="m1")) == []


def test_a_circle_is_told_once_and_what_leads_into_it_is_none() -> None:
    into = stored("m0", text="0", superseded_by="m1")
    ring = [stored(f"m{at}", text=str(at), superseded_by=f"m{at % 3 + 1}") for at in (1, 2, 3)]
    assert faults(into, *ring) == [("circle", "m1")]
    assert faults(stored("m1", superseded_by="m1")) == [("circle", "m1")]


def test_the_hash_is_of_all_but_the_findings() -> None:
    one = stored("m1").memory
    assert record_hash(one) == record_hash(one.model_copy(update={"access_count": 7, "last_accessed": NOON}))
    assert record_hash(one) != record_hash(one.model_copy(update={"tags": ("tea",)}))
    assert len(record_hash(one)) == 64
