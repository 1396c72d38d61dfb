"""A user who leaves: nothing of them stays in the store, and nothing of anybody else goes."""

from datetime import timedelta
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import INTERACTION
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.ports.values import Caller
from commonplace.retrieval.record_scan import visibility_of
from commonplace.runs.apply import RunContext
from tests.conftest import NOON
from tests.contract.changes import ANA, BEN, LATER, closing, opening, operation
from tests.contract.conftest import Writer
from tests.contract.test_runs import lease, run_of

DAY = NOON.date()


def erasure(opened: OpenStore, user_id: str) -> ErasableUser:
    return ErasableUser(RunContext(Caller(user_id, NOON), opened.ports, opened.night(), lambda: NOON), opened.erasure())


def live(opened: OpenStore, user_id: str) -> None:
    """Something of every kind that is kept of a user."""
    ports, night, writer = opened.ports, opened.night(), Writer(opened.ports)
    older = writer.write("tea, green", user_id, tags=("tea",), key="drink")
    newer = opening(writer, "coffee", user_id, tags=("coffee",), key="drink")
    assert ports.operations.apply(operation(closing(older), opens=newer, user_id=user_id))
    ports.usage.count(user_id, [newer.memory.memory_id], NOON)
    ports.usage.fold(user_id)
    ports.usage.count(user_id, [newer.memory.memory_id], LATER)
    told = {"type": "explicit", "time": NOON, "text": "remember the milk"}
    night.ledger.record(user_id, [INTERACTION.validate_python({**told, "id": name}) for name in ("one", "two")], NOON)
    fence = lease(night, user_id)
    night.runs.save(run_of(user_id=user_id), fence)
    night.parts.save_part(run_of(user_id=user_id), "answer", "the user drinks milk", fence)
    night.leases.release(fence)
    assert night.budget.reserve(user_id, DAY, 10, 100, 1_000)


def kept(opened: OpenStore, user_id: str) -> list[Any]:
    """All that the ports tell of a user."""
    ports, night = opened.ports, opened.night()
    ports.usage.fold(user_id)
    memories = list(ports.records.all(user_id))
    return [
        memories,
        [ports.records.audits(user_id, memory.memory_id) for memory in memories],
        ports.facts.tags(user_id),
        ports.operations.keys(visibility_of(Caller(user_id, NOON)), "default"),
        ports.operations.applied(user_id, "op_1"),
        night.ledger.entries(user_id, ["one", "two"]),
        night.runs.newest(user_id, 10),
        night.parts.part(user_id, run_of().run_id, "answer"),
        user_id in night.ledger.due(),
    ]


def test_nothing_is_left_of_who_leaves_and_everything_of_the_others(opened: OpenStore) -> None:
    live(opened, ANA)
    live(opened, BEN)
    before = kept(opened, BEN)
    assert all(before)
    assert erasure(opened, ANA).memories() == 2
    assert erasure(opened, ANA).erase().memories == 2
    assert not any(kept(opened, ANA))
    assert kept(opened, BEN) == before


def test_to_erase_twice_or_somebody_who_never_was_does_nothing(opened: OpenStore) -> None:
    live(opened, ANA)
    assert [erasure(opened, ANA).erase().memories for _ in range(2)] == [2, 0]
    assert erasure(opened, "local|nobody").erase().memories == 0


def test_who_comes_back_begins_anew(opened: OpenStore) -> None:
    for _ in range(2):
        live(opened, ANA)
        assert len(kept(opened, ANA)[0]) == 2
        erasure(opened, ANA).erase()
    assert not any(kept(opened, ANA))


def test_a_run_at_work_is_waited_for(opened: OpenStore) -> None:
    live(opened, ANA)
    fence = opened.night().leases.lease(ANA, NOON, NOON + timedelta(minutes=5))
    assert fence is not None
    with pytest.raises(CommonplaceError) as caught:
        erasure(opened, ANA).erase()
    assert caught.value.code is ErrorCode.CONFLICT
    assert len(kept(opened, ANA)[0]) == 2
    opened.night().leases.release(fence)
    assert erasure(opened, ANA).erase().memories == 2


def test_a_user_of_very_much_goes_whole(opened: OpenStore) -> None:
    writer = Writer(opened.ports)
    opened.ports.records.add([writer.entry(f"note {number}", ANA) for number in range(120)])
    assert erasure(opened, ANA).erase().memories == 120
    assert not any(kept(opened, ANA))
