"""Records and index held against each other, over every store: in line as they are written, and what is not is told."""

from dataclasses import replace
from datetime import timedelta

import pytest

from commonplace.domain.consistency import RepairRequest, RepairResult, ValidateRequest, ValidateResult
from commonplace.domain.ids import new_memory_id
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports, Upkeep
from commonplace.ports.values import Audit, Caller, Stored
from commonplace.use_cases import consistency
from tests.conftest import NOON
from tests.contract.conftest import Writer

LATER = NOON + timedelta(hours=1)
ANA = Caller("local|ana", LATER)


def upkeep(ports: Ports) -> Upkeep:
    assert ports.upkeep is not None
    return ports.upkeep()


def check(ports: Ports, caller: Caller = ANA, cursor: str | None = None) -> ValidateResult:
    return consistency.validate_storage(ValidateRequest(cursor=cursor), caller, ports)


def repair(ports: Ports, **how: object) -> RepairResult:
    return consistency.repair_index(RepairRequest.model_validate(how), ANA, ports)


def change(ports: Ports, memory: Memory, **fields: object) -> Memory:
    return ports.records.update(memory.next_version(LATER, **fields), Audit("test", LATER, {}))


@pytest.fixture
def memories(ports: Ports, writer: Writer) -> list[Memory]:
    """Three of one user, the last of them closed, and one of another."""
    made = [writer.write(text, tags=("tea",), key=f"k{at}") for at, text in enumerate(("green tea", "café ☕", "東京"))]
    writer.write("zanzibar", user_id="local|ben")
    return [*made[:2], change(ports, made[2], status="deleted", valid_to=LATER)]


def test_what_was_written_is_in_line(ports: Ports, memories: list[Memory]) -> None:
    found = check(ports)
    assert (found.ok, found.status, found.checked, found.findings) == (True, "done", 3, [])
    for scope in ("missing", "all"):
        for dry_run in (True, False):
            done = repair(ports, scope=scope, dry_run=dry_run)
            assert done.indexed + done.unchanged == 3
            assert (done.removed, done.failed, done.notes) == (0, [], None)
            assert done.indexed == 0 or scope == "all"
    assert check(ports).findings == []
    assert ports.records.get(ANA.user_id, [memories[0].memory_id]) == [memories[0]]


def test_nobody_s_is_in_line(ports: Ports, writer: Writer) -> None:
    assert check(ports).checked == 0
    writer.write("zanzibar", user_id="local|ben")
    assert (check(ports).ok, check(ports).checked) == (True, 0)


def test_records_come_by_id_and_only_the_user_s(ports: Ports, memories: list[Memory]) -> None:
    ids = sorted(memory.memory_id for memory in memories)
    everything = upkeep(ports).everything
    assert [one.memory.memory_id for one in everything.of_user(ANA.user_id)] == ids
    assert [one.memory.memory_id for one in everything.of_user(ANA.user_id, ids[0])] == ids[1:]
    assert list(everything.of_user(ANA.user_id, ids[-1])) == []
    assert all(one.vector is not None for one in everything.of_user(ANA.user_id) if one.memory.embedding_model)
    assert list(everything.of_user("local|nobody")) == []


def test_documents_are_the_user_s_and_none_is_wrong(ports: Ports, memories: list[Memory]) -> None:
    kept = upkeep(ports)
    if kept.contents is None:
        return
    waiting = set() if kept.pending is None else {one.memory.memory_id for one in kept.pending.pending(ANA.user_id)[0]}
    there = {one.memory_id: one.version for one in kept.contents.of_user(ANA.user_id)}
    assert {memory.memory_id for memory in memories} - there.keys() <= waiting
    assert there.keys() <= {memory.memory_id for memory in memories}
    assert {one.user_id for one in kept.contents.every()} <= {ANA.user_id, "local|ben"}
    assert kept.contents.miscounted(ANA.user_id) == []
    kept.contents.recount(ANA.user_id)
    assert kept.contents.mend([]) == []


def test_what_the_index_lacks_is_written(ports: Ports, writer: Writer) -> None:
    kept = upkeep(ports)
    if kept.contents is None:
        return
    memory = writer.write("green tea")
    (stored,) = kept.everything.of_user(ANA.user_id)
    assert [one.state for one in kept.contents.mend([stored])] == ["done"]
    (document,) = kept.contents.look_up([stored])
    assert document is not None
    assert (document.user_id, document.memory_id, document.version) == (ANA.user_id, memory.memory_id, 1)
    (other,) = kept.contents.look_up([Stored(memory.model_copy(update={"memory_id": "mem_nobody"}), None)])
    assert other is None or other.memory_id == "mem_nobody"  # purged meanwhile: nothing to write


@pytest.mark.parametrize("link", ["superseded_by", "supersedes"])
def test_links_are_followed(ports: Ports, memories: list[Memory], link: str) -> None:
    first, second, third = memories
    second = change(ports, second, **{link: first.memory_id})
    assert check(ports).ok
    nobody = new_memory_id(LATER - timedelta(days=1))
    change(ports, third, **{link: nobody})
    (told,) = check(ports).findings
    assert (told.kind, told.id, told.repairable) == ("broken_link", third.memory_id, False)
    assert check(ports, replace(ANA, now=LATER + timedelta(days=40))).ok
    change(ports, first, **{link: second.memory_id})
    found = check(ports)
    assert found.counts == {"circle": 1, "broken_link": 1}
    assert repair(ports, dry_run=False).notes is not None


def test_parts_hold_each_record_once(ports: Ports, memories: list[Memory], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(consistency, "PART", 2)
    first = check(ports)
    assert (first.status, first.checked) == ("running", 2)
    last = check(ports, cursor=first.cursor)
    assert (last.status, last.checked, last.cursor) == ("done", 1, None)
