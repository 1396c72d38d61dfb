"""Plans of any length: kept whole, gone with the plan and with the user, and with whoever died in between."""

from dataclasses import replace
from typing import Any
from unittest.mock import Mock

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.runs import Run
from commonplace.ports.bundle import Relay
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Fence
from commonplace.use_cases import dispatch
from tests.contract.changes import ANA
from tests.contract.conftest import Writer
from tests.contract.test_merging import ANA as CALLER
from tests.contract.test_runs import lease, noise, run_of

pytestmark = pytest.mark.integration

FIVE_MB = 6_200_000  # characters, of which the table keeps 5 MB


class KilledError(BaseException):
    """A process that ends."""


def test_a_plan_of_five_megabytes_is_kept_whole_and_goes(opened: OpenStore, night: NightPorts) -> None:
    fence, run, plan = lease(night), run_of(), noise(FIVE_MB)
    night.parts.save_part(run, "plan", plan, fence)
    assert night.parts.part(ANA, run.run_id, "plan") == plan
    night.parts.drop_parts(ANA, run.run_id)
    assert night.parts.part(ANA, run.run_id, "plan") is None
    night.parts.save_part(run, "plan", plan, fence)
    opened.erasure().erase(ANA)
    assert night.parts.part(ANA, run.run_id, "plan") is None


@pytest.mark.parametrize("dies_after", [1, 2])
def test_what_a_process_that_died_had_kept_of_a_plan_goes_with_the_next_call(
    opened: OpenStore, night: NightPorts, monkeypatch: pytest.MonkeyPatch, dies_after: int
) -> None:
    ports, save, saved = replace(opened.ports, night=lambda: night), night.parts.save_part, list[tuple[str, str]]()

    entries = [Writer(ports).entry(text) for text in ("I own a cello.", "I own a kayak.")]
    lines = ('{"commonplace_export": 1}', *(one.memory.model_dump_json() for one in entries))

    def planned(**arguments: Any) -> Any:
        return dispatch.call("import_memories", {"format": "jsonl", **arguments}, CALLER, ports)

    def dies(run: Run, name: str, body: str, fence: Fence) -> None:
        save(run, name, body, fence)
        saved.append((run.run_id, name))
        if len(saved) == dies_after:
            raise KilledError

    with monkeypatch.context() as killing:
        killing.setattr(night.parts, "save_part", dies)
        with pytest.raises(KilledError):
            planned(data="\n".join(lines))
    assert [bool(night.parts.part(ANA, *one)) for one in saved] == [True] * dies_after
    again = planned(data="\n".join(lines))
    assert [night.parts.part(ANA, *one) for one in saved] == [None] * dies_after
    assert [(one.run_id, one.status) for one in night.runs.newest(ANA, 5)] == [
        (again.run_id, "needs_review"), (saved[0][0], "failed"),
    ]  # fmt: skip
    assert night.runs.unfinished(ANA) is None
    done = planned(run_id=again.run_id, dry_run=False)
    assert (done.status, done.new) == ("done", 2)


def test_a_call_that_has_no_time_to_keep_its_plan_leaves_it_to_a_worker(opened: OpenStore, night: NightPorts) -> None:
    entries, queue = [Writer(opened.ports).entry(text) for text in ("I own a cello.", "I own a kayak.")], Mock()
    steps = iter([True] * 3)  # two lines are read, and one of two changes is kept
    relay = Relay(lambda: next(steps, False), queue)
    ports = replace(opened.ports, night=lambda: night, relay=relay)
    data = "\n".join(('{"commonplace_export": 1}', *(one.memory.model_dump_json() for one in entries)))
    told: Any = dispatch.call("import_memories", {"format": "jsonl", "data": data}, CALLER, ports)
    assert (told.status, next(steps, None)) == ("running", None)
    queue.send_run.assert_called_once_with(ANA, told.run_id, 0)
    assert night.runs.unfinished(ANA) is None
    (run,) = night.runs.newest(ANA, 5)
    assert (run.status, run.error) == ("queued", None)
    worker = replace(CALLER, goes_on=told.run_id)
    whole: Any = dispatch.call("import_memories", {"format": "jsonl", "data": data}, worker, replace(ports, relay=None))
    assert (whole.status, whole.new) == ("needs_review", 2)
