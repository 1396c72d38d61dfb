"""The laws of the runs: their leases, what they save, and how they close."""

import random
import string
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import INTERACTION
from commonplace.domain.runs import Run, RunOperation
from commonplace.ports.night import LedgerMark, NightPorts
from commonplace.ports.values import Fence
from tests.conftest import NOON

ANA, BEN = "local|ana", "local|ben"
MINUTE = timedelta(minutes=1)


def lease(night: NightPorts, user_id: str = ANA, now: datetime = NOON) -> Fence:
    fence = night.leases.lease(user_id, now, now + 10 * MINUTE)
    assert fence is not None
    return fence


def run_of(number: int = 1, user_id: str = ANA, **fields: object) -> Run:
    whole = {"run_id": f"run_{number:026d}", "user_id": user_id, "date": NOON.date(), "started_at": NOON, **fields}
    return Run.model_validate(whole)


def noise(length: int, seed: int = 0) -> str:
    """A text that hardly gets shorter when it is compressed."""
    return "".join(random.Random(seed).choices(string.ascii_letters + string.digits + "äß€", k=length))


def long_run(number: int = 1, operations: int = 4_000) -> Run:
    """A run of many operations, each with its own ids and reason."""
    made = [
        RunOperation(
            operation_id=f"op_{one}", kind="ADD", outcome="applied", memory_id=f"mem_{one}", why=noise(120, one)
        )
        for one in range(operations)
    ]  # fmt: skip
    return run_of(number, operations=tuple(made))


def code_of(caught: pytest.ExceptionInfo[CommonplaceError]) -> ErrorCode:
    return caught.value.code


def test_a_lease_keeps_others_out_until_it_has_run_out(night: NightPorts) -> None:
    first = lease(night)
    assert night.leases.lease(ANA, NOON + 9 * MINUTE, NOON + 20 * MINUTE) is None
    second = night.leases.lease(ANA, NOON + 10 * MINUTE, NOON + 20 * MINUTE)
    assert second is not None
    assert second.number > first.number
    assert second.user_id == ANA


def test_users_do_not_wait_for_each_other(night: NightPorts) -> None:
    lease(night)
    assert lease(night, BEN).user_id == BEN


def test_a_lease_that_was_given_back_is_free_at_once_and_its_number_is_never_given_again(night: NightPorts) -> None:
    first = lease(night)
    night.leases.release(first)
    second = lease(night)
    assert second.number > first.number


def test_to_give_back_an_older_lease_frees_nothing(night: NightPorts) -> None:
    first = lease(night)
    lease(night, now=NOON + 10 * MINUTE)
    night.leases.release(first)
    assert night.leases.lease(ANA, NOON + 11 * MINUTE, NOON + 20 * MINUTE) is None


def test_a_renewed_lease_runs_longer(night: NightPorts) -> None:
    fence = lease(night)
    night.leases.renew(fence, NOON + 20 * MINUTE)
    assert night.leases.lease(ANA, NOON + 19 * MINUTE, NOON + 30 * MINUTE) is None
    second = lease(night, now=NOON + 20 * MINUTE)
    with pytest.raises(CommonplaceError) as caught:
        night.leases.renew(fence, NOON + 90 * MINUTE)
    assert code_of(caught) is ErrorCode.LEASE_LOST
    night.leases.renew(second, NOON + 40 * MINUTE)


def test_of_ten_that_ask_at_once_one_gets_the_lease(night: NightPorts) -> None:
    with ThreadPoolExecutor(10) as pool:
        fences = list(pool.map(lambda _: night.leases.lease(ANA, NOON, NOON + MINUTE), range(10)))
    assert sum(fence is not None for fence in fences) == 1


def test_a_run_is_read_back_whole(night: NightPorts) -> None:
    operation = RunOperation(
        operation_id="op_1", kind="ADD", outcome="planned", memory_id="mem_1", day=NOON.date(), why="said so"
    )
    run = run_of(mode="rules", interactions=("one", "two"), operations=(operation,), cost=0.25, notes=("no key",))
    night.runs.save(run, lease(night))
    assert night.runs.get(ANA, run.run_id) == run
    assert night.runs.get(BEN, run.run_id) is None
    assert night.runs.get(ANA, "run_unknown") is None


def test_a_run_is_kept_as_it_is_now(night: NightPorts) -> None:
    fence, run = lease(night), run_of()
    night.runs.save(run, fence)
    later = run.model_copy(update={"candidates": 3})
    night.runs.save(later, fence)
    assert night.runs.get(ANA, run.run_id) == later
    assert night.runs.newest(ANA, 5) == [later]


def test_the_run_that_did_not_close_is_found(night: NightPorts) -> None:
    fence = lease(night)
    assert night.runs.unfinished(ANA) is None
    night.runs.save(run_of(1), fence)
    night.runs.close(run_of(1, status="done", finished_at=NOON), {}, fence)
    night.runs.save(run_of(2), fence)
    assert night.runs.unfinished(ANA) == run_of(2)
    assert night.runs.unfinished(BEN) is None
    night.runs.close(run_of(2, status="needs_review", finished_at=NOON), {}, fence)
    assert night.runs.unfinished(ANA) is None


def test_the_newest_runs_come_first(night: NightPorts) -> None:
    fence = lease(night)
    for number in (2, 1, 3):
        night.runs.save(run_of(number, status="done"), fence)
    night.runs.save(run_of(9, BEN), lease(night, BEN))
    assert night.runs.newest(ANA, 2) == [run_of(3, status="done"), run_of(2, status="done")]
    assert night.runs.newest("local|nobody", 2) == []


def test_a_part_that_is_there_stays(night: NightPorts) -> None:
    fence, run = lease(night), run_of()
    night.parts.save_part(run, "day-1", "first", fence)
    night.parts.save_part(run, "day-1", "second", fence)
    assert night.parts.part(ANA, run.run_id, "day-1") == "first"
    assert night.parts.part(ANA, run.run_id, "day-2") is None
    assert night.parts.part(BEN, run.run_id, "day-1") is None


def test_a_part_may_be_a_long_text(night: NightPorts) -> None:
    fence, run, body = lease(night), run_of(), "a year and a day – " * 14_000
    night.parts.save_part(run, "answer", body, fence)
    assert night.parts.part(ANA, run.run_id, "answer") == body
    night.parts.drop_parts(ANA, run.run_id)
    assert night.parts.part(ANA, run.run_id, "answer") is None


def test_a_part_may_be_longer_than_a_row_of_any_store(night: NightPorts) -> None:
    fence, run, body = lease(night), run_of(), noise(2_000_000)
    night.parts.save_part(run, "plan", body, fence)
    night.parts.save_part(run, "plan/1", f"1{body}", fence)
    night.parts.save_part(run, "plan", "another", fence)
    night.parts.save_part(run, "plan", f"another {body}", fence)
    assert night.parts.part(ANA, run.run_id, "plan") == body
    night.parts.drop_parts(ANA, run.run_id, keep=["plan/1"])
    assert night.parts.part(ANA, run.run_id, "plan") is None
    assert night.parts.part(ANA, run.run_id, "plan/1") == f"1{body}"
    night.parts.drop_parts(ANA, run.run_id)
    assert night.parts.part(ANA, run.run_id, "plan/1") is None


def test_a_run_may_be_longer_than_a_row_of_any_store(night: NightPorts) -> None:
    fence, run = lease(night), long_run()
    night.runs.save(run_of(), fence)
    night.runs.save(run, fence)
    assert night.runs.get(ANA, run.run_id) == night.runs.unfinished(ANA) == run
    longer = run.model_copy(update={"operations": (*run.operations, *run.operations)})
    night.runs.save(longer, fence)
    night.parts.drop_parts(ANA, run.run_id)
    night.runs.save(run_of(2), fence)
    assert night.runs.newest(ANA, 5) == [run_of(2), longer]
    done = run.model_copy(update={"status": "done", "finished_at": NOON})
    night.runs.close(done, {}, fence)
    assert night.runs.newest(ANA, 5) == [run_of(2), done]
    night.runs.save(run_of(status="done"), fence)
    assert night.runs.get(ANA, run.run_id) == run_of(status="done")


def test_parts_are_let_go_of_but_for_those_to_keep(night: NightPorts) -> None:
    fence = lease(night)
    for number in (1, 2):
        for name in ("answer", "plan"):
            night.parts.save_part(run_of(number), name, f"{name} of {number}", fence)
    night.parts.drop_parts(ANA, run_of(1).run_id, keep=["plan"])
    assert night.parts.part(ANA, run_of(1).run_id, "answer") is None
    assert night.parts.part(ANA, run_of(1).run_id, "plan") == "plan of 1"
    assert night.parts.part(ANA, run_of(2).run_id, "answer") == "answer of 2"


def record(night: NightPorts, *ids: str) -> None:
    told = [{"type": "explicit", "id": one, "time": NOON, "text": "remember the milk"} for one in ids]
    night.ledger.record(ANA, [INTERACTION.validate_python(one) for one in told], NOON)


def test_closing_marks_what_was_read_and_keeps_the_run(night: NightPorts) -> None:
    fence, run = lease(night), run_of(interactions=("read", "left", "failed"))
    record(night, "read", "left", "failed", "unseen")
    night.runs.save(run, fence)
    done = run.model_copy(update={"status": "done", "finished_at": NOON + MINUTE})
    marks = {
        "read": LedgerMark("read"),
        "left": LedgerMark("pending", 2),
        "failed": LedgerMark("failed", 3),
        "unknown": LedgerMark("read"),
    }
    for _ in range(2):  # it may be repeated
        night.runs.close(done, marks, fence)
        entries = {entry.interaction_id: entry for entry in night.ledger.entries(ANA, ["read", "left", "failed", "unseen"])}
        assert {one: (entry.state, entry.failures) for one, entry in entries.items()} == {
            "read": ("read", 0), "left": ("pending", 2), "failed": ("failed", 3), "unseen": ("pending", 0),
        }  # fmt: skip
        assert entries["read"].run_id == entries["failed"].run_id == run.run_id
        assert entries["read"].read_at == NOON + MINUTE
        assert entries["left"].read_at is None
        assert entries["unseen"].run_id is None
        assert night.runs.get(ANA, run.run_id) == done
    assert night.ledger.entries(ANA, ["unknown"]) == []


def test_who_holds_an_older_lease_writes_nothing(night: NightPorts) -> None:
    record(night, "one")
    old, run = lease(night), run_of()
    new = lease(night, now=NOON + 10 * MINUTE)
    writes: tuple[Callable[[Fence], object], ...] = (
        lambda fence: night.runs.save(run, fence),
        lambda fence: night.runs.save(long_run(), fence),
        lambda fence: night.parts.save_part(run, "plan", "words", fence),
        lambda fence: night.parts.save_part(run, "plan", noise(1_000_000), fence),
        lambda fence: night.runs.close(run, {"one": LedgerMark("read")}, fence),
    )
    for write in writes:
        with pytest.raises(CommonplaceError) as caught:
            write(old)
        assert code_of(caught) is ErrorCode.LEASE_LOST
    assert night.runs.get(ANA, run.run_id) is None
    assert night.parts.part(ANA, run.run_id, "plan") is None
    assert [entry.interaction_id for entry in night.ledger.pending(ANA, 5)] == ["one"]
    night.runs.save(run, new)


def test_a_fence_that_was_never_given_is_none(night: NightPorts) -> None:
    with pytest.raises(CommonplaceError) as caught:
        night.runs.save(run_of(), Fence(ANA, 1))
    assert code_of(caught) is ErrorCode.LEASE_LOST


def test_a_lease_that_a_clock_ahead_took_is_free_once_the_clock_is_set_back(night: NightPorts) -> None:
    ahead = lease(night, now=NOON + timedelta(days=1))
    assert night.leases.lease(ANA, NOON + timedelta(days=1, minutes=-9), NOON + timedelta(days=1, minutes=1)) is None
    assert lease(night).number > ahead.number
    with pytest.raises(CommonplaceError) as caught:
        night.leases.renew(ahead, NOON + timedelta(days=2))
    assert caught.value.code is ErrorCode.LEASE_LOST
