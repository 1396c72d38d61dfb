"""The night in one file: leases hold between processes, and after a kill at any moment each operation is whole or not there."""

import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from datetime import timedelta
from pathlib import Path

import pytest

from commonplace.bootstrap.local import OpenStore, open_local
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import INTERACTION
from commonplace.domain.runs import Run
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Operation
from commonplace.settings import Settings
from tests.conftest import NOON

pytestmark = pytest.mark.integration

ANA = "local|ana"
HOUR = timedelta(hours=1)
_WORKER = """
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path
from commonplace.bootstrap.local import open_local
from commonplace.domain.interactions import INTERACTION
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Audit, Change, Operation
from commonplace.settings import Settings

NOW, ANA = datetime(2026, 5, 20, tzinfo=UTC), "local|ana"
opened = open_local(Settings(db=Path(sys.argv[1])))
ports, night = opened.ports, opened.night()

def memory_of(name):
    return Memory.model_validate({
        "memory_id": f"mem_{name}", "user_id": ANA, "raw_text": name, "normalized_text": name, "key": "drink",
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": NOW, "updated_at": NOW,
    })

for number in range(10_000):
    name = f"{sys.argv[2]}-{number}"
    night.ledger.record(ANA, [INTERACTION.validate_python({"type": "explicit", "id": name, "time": NOW, "text": name})], NOW)
    fence = night.leases.lease(ANA, NOW, NOW)  # it has run out when it begins: whoever comes next need not wait
    before = ports.operations.holder(ANA, "default", "drink", NOW)
    closes = ()
    if before is not None:
        closed = before.model_copy(update={"status": "superseded", "version": before.version + 1})
        closes = (Change(closed, Audit("close", NOW, {}), before=before),)
    opens = Change(memory_of(name), Audit("store", NOW, {}))
    run = Run(run_id=f"run_{name}", user_id=ANA, date=NOW.date(), started_at=NOW, finished_at=NOW, status="done")
    assert ports.operations.apply(Operation(f"op_{name}", ANA, "UPDATE", NOW, opens, closes, run.run_id), fence)
    night.runs.close(run, {name: LedgerMark("read")}, fence)
    print(name, flush=True)
"""


@pytest.fixture
def two(memory_file: Path) -> Iterator[tuple[OpenStore, OpenStore]]:
    """The same file opened twice, as two processes do."""
    with ExitStack() as stack:
        first, second = (stack.enter_context(closing(open_local(Settings(db=memory_file)))) for _ in range(2))
        yield first, second


def test_a_lease_holds_for_every_process(two: tuple[OpenStore, OpenStore]) -> None:
    first, second = two
    old = first.night().leases.lease(ANA, NOON, NOON + HOUR)
    assert old is not None
    assert second.night().leases.lease(ANA, NOON, NOON + HOUR) is None
    new = second.night().leases.lease(ANA, NOON + HOUR, NOON + 2 * HOUR)
    assert new is not None
    run = Run(run_id="run_1", user_id=ANA, date=NOON.date(), started_at=NOON)
    first.night().ledger.record(
        ANA, [INTERACTION.validate_python({"type": "explicit", "id": "1", "time": NOON, "text": "x"})], NOON
    )
    for write in (
        lambda: first.ports.operations.apply(Operation("op_1", ANA, "NOOP", NOON), old),
        lambda: first.night().runs.close(run, {"1": LedgerMark("read")}, old),
    ):
        with pytest.raises(CommonplaceError) as caught:
            write()
        assert caught.value.code is ErrorCode.LEASE_LOST
    assert second.ports.operations.applied(ANA, "op_1") is None
    assert [entry.interaction_id for entry in second.night().ledger.pending(ANA, 5)] == ["1"]
    assert second.ports.operations.apply(Operation("op_1", ANA, "NOOP", NOON), new)
    assert not first.ports.operations.apply(Operation("op_1", ANA, "NOOP", NOON), old)


def test_a_worker_killed_at_any_moment_leaves_whole_operations(memory_file: Path) -> None:
    chance, answered = random.Random(1), list[str]()
    for round_ in range(4):
        command = [sys.executable, "-c", _WORKER, str(memory_file), str(round_)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        answered.append(process.stdout.readline().strip())
        time.sleep(chance.uniform(0.0, 0.1))
        process.send_signal(signal.SIGKILL)
        answered += [line.strip() for line in process.stdout.read().splitlines(keepends=True) if line.endswith("\n")]
        process.wait()
        process.stdout.close()
    with closing(open_local(Settings(db=memory_file))) as opened:
        ports, night = opened.ports, opened.night()
        names = [memory.raw_text for memory in ports.records.all(ANA)]
        assert set(answered) <= set(names)
        assert [memory.status for memory in ports.records.all(ANA)] == ["superseded"] * (len(names) - 1) + ["active"]
        assert all(ports.operations.applied(ANA, f"op_{name}") is not None for name in names)
        entries = {entry.interaction_id: entry for entry in night.ledger.entries(ANA, names)}
        assert {entries[name].state for name in answered} == {"read"}
        closed = {run.run_id for run in night.runs.newest(ANA, len(names))}
        for name in names:
            assert (entries[name].state == "read") == (f"run_{name}" in closed)
