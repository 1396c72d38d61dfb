"""What a tool has no time for in its call on AWS: handed to the worker, gone on with, told by its run's id."""

import json
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from commonplace.bootstrap.maintenance import NightSchedule
from commonplace.contract.registry import tool_named
from commonplace.domain.memory import Memory
from commonplace.interfaces.aws import container, nightly_functions
from commonplace.ports.bundle import Ports, Relay
from commonplace.ports.values import Caller
from commonplace.runs.apply import LEASE, RunContext
from commonplace.runs.finalize import erase_sources
from commonplace.runs.queueing import exclusive_lease
from commonplace.use_cases import dispatch
from tests.conftest import NOON
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import ISSUER, Context, handler, http, token

pytestmark = pytest.mark.integration

USER = f"{ISSUER}|ana"
ADMIN = "openid commonplace/admin"
BIRDS = ("heron", "robin", "crow", "swift", "owl", "gull", "wren", "magpie", "kestrel", "osprey", "puffin", "stork")


@dataclass
class Aws:
    """What a deployment has around a call: how many steps it has time for, what was sent, and what waits for the index."""

    ports: Ports
    steps: float = float("inf")
    waiting: int = 0
    sent: list[tuple[str, str | None, int]] = field(default_factory=list)

    def in_time(self) -> bool:
        self.steps -= 1
        return self.steps >= 0

    def has_more_than(self, most: int, user_id: str) -> bool:
        return user_id == USER and self.waiting > most

    def send(self, user_ids: Iterable[str]) -> int:
        names = list(user_ids)
        self.sent += [(name, None, 0) for name in names]
        return len(names)

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        self.sent.append((user_id, run_id, seconds))

    def tool(self, name: str, steps: float = float("inf"), status: int = 200, scope: str = ADMIN, **arguments: Any) -> Any:
        """Calls a tool over HTTP that has time for so many steps."""
        self.steps = steps
        response = handler(tool_named(name).function)(
            http(f"/tools/{name}", arguments, authorizer=token(scope=scope)), Context()
        )
        assert response["statusCode"] == status, response["body"]
        return json.loads(response["body"])

    def work(self, steps: float = float("inf"), **more: Any) -> list[str]:
        """Hands the message that was sent last to the worker; gives the messages that come again."""
        user_id, run_id, _ = self.sent.pop()
        self.steps = steps
        body = {"user_id": user_id, **({"run_id": run_id} if run_id else {}), **more}
        record = {"messageId": "message-1", "body": json.dumps(body)}
        answer = nightly_functions.night({"Records": [record]}, Context(milliseconds=900_000))
        return [one["itemIdentifier"] for one in answer["batchItemFailures"]]

    def memories(self) -> list[Memory]:
        return [one for one in self.ports.records.all(USER) if one.status == "active"]

    def parts(self, run_id: str) -> list[str]:
        names = ("request", "plan", *(f"review/{one.operation_id}" for one in self.run(run_id).operations))
        return [name for name in names if container.night().parts.part(USER, run_id, name) is not None]

    def run(self, run_id: str) -> Any:
        return container.night().runs.get(USER, run_id)


@pytest.fixture
def aws(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> Aws:
    made, kept = Aws(ports), container.night()
    opened = replace(ports, night=lambda: kept, relay=Relay(made.in_time, made, made))  # type: ignore[arg-type]
    monkeypatch.setattr(container, "ports", lambda: opened)
    monkeypatch.setattr(container, "night", lambda: kept)
    monkeypatch.setattr(container, "night_schedule", lambda: NightSchedule(kept.ledger, made, kept.text_retention))
    return made


def birds(aws: Aws) -> None:
    """Twelve memories, of which every second has the tag in another spelling."""
    for number, bird in enumerate(BIRDS):
        caller = Caller(USER, NOON - timedelta(days=20 - number))
        told: Any = dispatch.call("store_memory", {"content": f"I saw a {bird} in the park."}, caller, aws.ports)
        tag = "bird-watching" if number % 2 else "birdwatching"
        dispatch.call("update_memory", {"memory_id": told.memory_id, "tags": [tag]}, caller, aws.ports)


def tags(aws: Aws) -> set[str]:
    return {tag for memory in aws.memories() for tag in memory.tags}


def export_of(count: int) -> str:
    at = "2026-05-20T18:30:00+02:00"
    lines = [
        json.dumps({
            "memory_id": f"mem_{number}", "raw_text": f"I planted oak number {number}.", "normalized_text": "",
            "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": at, "updated_at": at,
        })
        for number in range(count)
    ]  # fmt: skip
    return "\n".join(('{"commonplace_export": 1}', *lines))


def test_what_is_planned_in_time_is_applied_by_two_messages(aws: Aws) -> None:
    birds(aws)
    whole = aws.tool("optimize_tags")
    planned = len(BIRDS) + len(whole["merges"])
    told = aws.tool("optimize_tags", planned + 2, dry_run=False)  # the memories read, the pairs judged, two changed
    assert (told["status"], told["progress"]) == ("running", {"done": 2, "total": 6})
    run_id = told["run_id"]
    assert aws.sent == [(USER, run_id, 0)]
    assert aws.tool("optimize_tags", run_id=run_id)["progress"] == {"done": 2, "total": 6}
    assert aws.tool("optimize_tags", run_id=run_id, dry_run=False)["status"] == "running"
    assert aws.work(3) == []
    assert aws.sent == [(USER, run_id, 0)]
    assert aws.tool("optimize_tags", run_id=run_id)["progress"] == {"done": 5, "total": 6}
    assert aws.work() == []
    assert (aws.sent, aws.parts(run_id)) == ([], [])
    done = aws.tool("optimize_tags", run_id=run_id)
    assert (done["status"], done["merges"], done["before"]) == ("done", whole["merges"], whole["before"])
    assert done["after"] == whole["after"]
    assert len(tags(aws)) == 1
    assert {one.outcome for one in aws.run(run_id).operations} == {"applied"}


def test_what_there_is_no_time_to_plan_the_worker_plans_and_a_second_message_does_nothing_twice(aws: Aws) -> None:
    birds(aws)
    whole = aws.tool("optimize_tags")
    told = aws.tool("optimize_tags", 3, dry_run=False)
    assert (told["status"], told["merges"], told["progress"]) == ("running", [], {"done": 0, "total": None})
    (message,) = aws.sent
    assert aws.work() == []
    versions = [(one.memory_id, one.version) for one in aws.memories()]
    assert aws.tool("optimize_tags", run_id=told["run_id"])["merges"] == whole["merges"]
    assert len(tags(aws)) == 1
    aws.sent.append(message)
    assert aws.work() == []
    assert ([(one.memory_id, one.version) for one in aws.memories()], aws.sent) == (versions, [])
    assert aws.parts(told["run_id"]) == []


@pytest.mark.parametrize("in_time", [4, 9], ids=["while it is made", "while it is kept"])
def test_a_plan_that_takes_long_waits_for_review_and_is_applied_in_pieces(aws: Aws, in_time: int) -> None:
    told = aws.tool("import_memories", in_time, data=export_of(6))
    assert (told["status"], told["new"], told["progress"]) == ("running", 0, {"done": 0, "total": None})
    assert aws.parts(told["run_id"]) == ["request"]
    assert aws.work() == []
    plan = aws.tool("import_memories", run_id=told["run_id"])
    assert (plan["status"], plan["new"], plan["run_id"]) == ("needs_review", 6, told["run_id"])
    assert "request" not in aws.parts(told["run_id"])
    assert aws.memories() == []
    part = aws.tool("import_memories", 2, run_id=told["run_id"], dry_run=False)
    assert (part["status"], part["progress"], len(aws.memories())) == ("running", {"done": 2, "total": 6}, 2)
    assert aws.work(1) == []
    assert aws.work() == []
    done = aws.tool("import_memories", run_id=told["run_id"])
    assert (done["status"], done["new"], len(aws.memories()), aws.sent) == ("done", 6, 6, [])


def test_an_upload_stays_until_a_worker_has_read_it(aws: Aws) -> None:
    made = handler("transfer")(http("/uploads", export_of(6).encode(), authorizer=token(scope=ADMIN)), Context())
    upload_id = json.loads(made["body"])["upload_id"]
    told = aws.tool("import_memories", 4, upload_id=upload_id, dry_run=False)
    assert aws.work() == []
    assert aws.tool("import_memories", run_id=told["run_id"])["new"] == 6
    assert aws.tool("import_memories", 4, 404, upload_id=upload_id)["error"]["field"] == "upload_id"


class Killed(BaseException):
    """No code is run any more after it, as far as a test can have that."""


@pytest.mark.parametrize("steps", [1, 4], ids=["while planning", "while applying"])
@pytest.mark.parametrize("dies_before", range(1, 12))
def test_a_worker_that_is_killed_is_followed_by_another(
    dies_before: int, steps: int, aws: Aws, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = aws.tool("import_memories", steps, data=export_of(3), dry_run=False)
    assert told["status"] == "running"
    (message,), writes = aws.sent, [0]

    def dying(write: Callable[..., Any]) -> Callable[..., Any]:
        def counted(*given: Any, **more: Any) -> Any:
            writes[0] += 1
            if writes[0] >= dies_before:
                raise Killed
            return write(*given, **more)

        return counted

    night = container.night()
    with monkeypatch.context() as killing:
        for port, name in (
            (aws.ports.operations, "apply"), (night.runs, "save"), (night.runs, "close"), (night.parts, "save_part"),
            (night.parts, "drop_parts"), (night.leases, "release"),
        ):  # fmt: skip
            killing.setattr(port, name, dying(getattr(port, name)))
        with suppress(Killed):
            aws.work()
    died = writes[0] >= dies_before
    aws.sent = [message]
    assert aws.work() == []
    assert aws.sent == ([(*message[:2], 60)] if died and aws.run(told["run_id"]).is_at_work else [])  # its lease holds yet
    monkeypatch.setattr(container, "now", lambda zone: (NOON + LEASE + timedelta(seconds=1)).astimezone(zone))
    aws.sent = [message]
    assert aws.work() == []
    assert aws.tool("import_memories", run_id=told["run_id"])["new"] == 3
    assert sorted(one.memory_id for one in aws.memories()) == ["mem_0", "mem_1", "mem_2"]
    assert {one.version for one in aws.memories()} == {1}
    assert aws.parts(told["run_id"]) == []


def test_while_another_run_is_at_work_a_call_is_refused_and_a_message_waits(aws: Aws) -> None:
    told = aws.tool("import_memories", 4, data=export_of(6), dry_run=False)
    fence = container.night().leases.lease(USER, NOON, NOON + LEASE)
    assert fence is not None
    error = aws.tool("optimize_tags", status=409)["error"]
    assert (error["code"], error["retryable"]) == ("conflict", True)
    assert aws.work() == []
    assert aws.sent == [(USER, told["run_id"], 60)]
    container.night().leases.release(fence)
    assert aws.work() == []
    assert len(aws.memories()) == 6


def test_who_finds_a_run_half_done_goes_on_with_it_and_is_refused_while_it_has_no_end(aws: Aws) -> None:
    first = aws.tool("import_memories", data=export_of(6), steps=6 + 1 + 2, dry_run=False)
    assert (first["progress"]["done"], first["progress"]["total"]) == (2, 6)
    aws.sent.clear()
    assert aws.tool("optimize_tags", 1, 409)["error"]["code"] == "conflict"
    assert len(aws.memories()) == 3
    assert aws.sent == [(USER, first["run_id"], 0)]
    assert aws.tool("optimize_tags")["status"] == "done"
    assert len(aws.memories()) == 6


def test_a_night_goes_on_with_it_too(aws: Aws) -> None:
    aws.tool("import_memories", data=export_of(6), steps=6 + 1 + 2, dry_run=False)
    aws.sent = [(USER, None, 0)]
    assert aws.work(2) == []
    assert (len(aws.memories()), aws.sent) == (4, [(USER, None, 0)])
    assert aws.work() == []
    assert (len(aws.memories()), aws.sent) == (6, [])


def test_a_run_pauses_while_more_than_200_writes_wait_for_the_index(aws: Aws) -> None:
    aws.waiting = 201
    told = aws.tool("import_memories", data=export_of(3), dry_run=False)
    assert (told["status"], told["progress"]["done"]) == ("running", 0)
    assert aws.sent == [(USER, told["run_id"], 30)]
    aws.waiting = 200
    assert aws.work() == []
    assert len(aws.memories()) == 3


def test_rights_are_those_of_who_asked_and_no_message_s(aws: Aws) -> None:
    told = aws.tool("import_memories", 4, scope="openid", data=export_of(6), dry_run=False)
    assert aws.work(admin=True, dry_run=False, arguments={"data": export_of(1)}) == []
    plan = aws.tool("import_memories", run_id=told["run_id"])
    assert (plan["status"], plan["new"], aws.memories()) == ("needs_review", 6, [])
    aws.sent = [("direct|ben", told["run_id"], 0)]
    assert aws.work() == []
    assert aws.memories() == []


@pytest.mark.parametrize("tool", ["validate_storage", "repair_index", "export_memories"])
def test_what_changes_no_memory_is_done_by_a_worker_too(tool: str, aws: Aws) -> None:
    birds(aws)
    changed = aws.tool("optimize_tags", dry_run=False)
    whole = aws.tool(tool)
    told = aws.tool(tool, 0)
    assert told["status"] == "running"
    assert aws.work(0) == []
    assert aws.tool(tool, run_id=told["run_id"])["status"] == "running"
    assert aws.work() == []
    done = aws.tool(tool, run_id=told["run_id"])
    if tool == "export_memories":
        assert (done["sha256"], done["count"]) == (whole["sha256"], 12)
        assert aws.tool(tool, run_id=done["export_id"])["sha256"] == whole["sha256"]
    else:
        assert done == {**whole, "run_id": told["run_id"]}
    assert (aws.sent, aws.parts(told["run_id"])) == ([], [])
    undone = handler("record")(http("/runs/last/undo", authorizer=token(scope=ADMIN)), Context())
    assert json.loads(undone["body"])["undoes"] == changed["run_id"]
    assert aws.tool("optimize_tags", status=404, run_id=told["run_id"])["error"]["field"] == "run_id"


def test_a_backup_is_made_and_brought_back_by_a_worker(aws: Aws) -> None:
    birds(aws)
    told = aws.tool("backup_restore", 3, action="backup")
    assert (told["status"], told["progress"]["done"], "backup_id" in told) == ("running", 0, False)
    assert aws.tool("optimize_tags")["status"] == "needs_review"  # a plan is no change; it makes no room of its own
    assert aws.work() == []
    made = aws.tool("backup_restore", action="backup", run_id=told["run_id"])
    assert (made["status"], made["count"], aws.parts(told["run_id"])) == ("done", 12, [])
    assert aws.tool("backup_restore", action="verify", backup_id=made["backup_id"])["ok"]
    before = [(one.memory_id, one.content, one.tags) for one in aws.memories()]
    aws.tool("optimize_tags", dry_run=False)
    planning = aws.tool("backup_restore", 3, action="restore", backup_id=made["backup_id"], mode="replace")
    assert (planning["status"], planning["changes"]) == ("running", [])
    run_id, confirm = planning["run_id"], made["backup_id"]
    assert aws.tool("backup_restore", action="restore", run_id=run_id, confirm=confirm)["status"] == "running"
    assert aws.work() == []
    plan = aws.tool("backup_restore", action="restore", run_id=run_id)
    assert (plan["status"], len(plan["changes"]), plan["backup_id"]) == ("needs_review", 6, confirm)
    assert (
        aws.tool("backup_restore", status=400, action="restore", run_id=run_id, confirm="backup_1")["error"]["field"]
        == "confirm"
    )
    part = aws.tool("backup_restore", 2, action="restore", run_id=run_id, confirm=confirm)
    assert (part["status"], part["progress"]) == ("running", {"done": 2, "total": 6})
    assert aws.work() == []
    assert aws.tool("backup_restore", action="restore", run_id=run_id)["status"] == "done"
    assert [(one.memory_id, one.content, one.tags) for one in aws.memories()] == before


def test_what_three_workers_do_not_end_has_failed(aws: Aws) -> None:
    birds(aws)
    told = aws.tool("optimize_tags", 0, dry_run=False)
    for _ in range(3):
        assert aws.work(0) == []
        assert aws.tool("optimize_tags", run_id=told["run_id"])["status"] == "running"
    assert aws.work() == []
    failed = aws.tool("optimize_tags", run_id=told["run_id"])
    assert (failed["status"], aws.sent, aws.parts(told["run_id"])) == ("failed", [], [])
    assert "three times" in failed["notes"]["warnings"][0]
    assert len(tags(aws)) == 2


def test_what_turns_out_to_be_wrong_has_failed_and_says_why(aws: Aws) -> None:
    told = aws.tool("import_memories", 2, format="csv", data='memory_id,raw_text\na,b\nc,d\ne,f\n"', dry_run=False)
    assert aws.work() == []
    failed = aws.tool("import_memories", run_id=told["run_id"])
    assert (failed["status"], aws.sent) == ("failed", [])
    assert "no CSV" in failed["notes"]["warnings"][0]


def test_a_queued_run_is_discarded_by_a_person_and_by_an_erasure(aws: Aws) -> None:
    birds(aws)
    first = aws.tool("import_memories", 4, data=export_of(6), dry_run=False)
    discarded = handler("record")(http(f"/runs/{first['run_id']}/discard", authorizer=token(scope=ADMIN)), Context())
    assert json.loads(discarded["body"])["status"] == "done"
    assert aws.work() == []
    second = aws.tool("import_memories", 4, data=export_of(6), dry_run=False)
    assert aws.parts(second["run_id"]) == ["request"]
    context = RunContext(Caller(USER, NOON), aws.ports, container.night(), lambda: NOON)
    with exclusive_lease(context) as lease:
        erase_sources({aws.memories()[0].memory_id}, set(), context, lease)
    assert aws.parts(second["run_id"]) == []
    assert aws.work() == []
    assert not [one for one in aws.memories() if "oak" in one.content]
