"""The functions of the night as Lambda calls them: what is recorded, who is planned, whose days are read, and what is told."""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from pathlib import Path
from typing import Any

import pytest

from commonplace.bootstrap.maintenance import NightSchedule
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import new_run_id
from commonplace.domain.runs import Dropped, Run
from commonplace.interfaces.aws import container, nightly_functions
from commonplace.interfaces.aws.nightly_functions import zone_of
from commonplace.ports.bundle import Ports
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Caller
from commonplace.use_cases import dispatch
from tests.conftest import NOON
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import ISSUER, Context, agent, handler, http, iam

pytestmark = pytest.mark.integration

EVENTS = Path(__file__).parents[2] / "events" / "night"
USER = f"{ISSUER}|ana"
NIGHT = NOON.replace(hour=23)


@dataclass
class Queue:
    """Notes whom it was asked for; `down`: it takes nothing."""

    sent: list[str] = field(default_factory=list)
    down: bool = False

    def send(self, user_ids: Iterable[str]) -> int:
        if self.down:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the queue is down")
        asked = list(user_ids)
        self.sent += asked
        return len(asked)

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        self.sent.append(f"{user_id} {run_id} {seconds}")


@pytest.fixture
def queue(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> Queue:
    made, kept = Queue(), container.night()
    monkeypatch.setattr(container, "night_schedule", lambda: NightSchedule(kept.ledger, made, kept.text_retention))
    monkeypatch.setattr(container, "night", lambda: kept)
    return made


@pytest.fixture
def told(capsys: pytest.CaptureFixture[str]) -> Callable[[], list[dict[str, Any]]]:
    """The metrics since it was last asked for them."""

    def lines() -> list[dict[str, Any]]:
        return [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]

    return lines


def event(name: str) -> Any:
    return json.loads((EVENTS / f"{name}.json").read_text("utf-8"))


def asked(method: str, path: str, body: object = None, status: int = 200, **more: Any) -> Any:
    query = more.pop("query", None)
    request = http(path, body, method, **more) | ({"queryStringParameters": query} if query else {})
    response = handler("record")(request, Context())
    assert response["statusCode"] == status, response["body"]
    return json.loads(response["body"])


def message(user_id: str, number: int = 1) -> dict[str, Any]:
    (record,) = event("night")["Records"]
    return {**record, "messageId": f"message-{number}", "body": json.dumps({"user_id": user_id})}


def night(*messages: dict[str, Any], milliseconds: int = 900_000) -> list[str]:
    """The messages that come again."""
    answer = nightly_functions.night(json.loads(json.dumps({"Records": messages})), Context(milliseconds=milliseconds))
    assert set(answer) == {"batchItemFailures"}
    return [failure["itemIdentifier"] for failure in answer["batchItemFailures"]]


def contents(ports: Ports, user_id: str = USER) -> set[str]:
    return {memory.content for memory in ports.records.all(user_id) if memory.status == "active"}


def test_a_day_is_recorded_planned_read_shown_and_taken_back(ports: Ports, queue: Queue) -> None:
    day = event("interactions")
    assert asked("POST", "/interactions", day)["recorded"] == len(day["interactions"])
    again = {"recorded": 0, "known": 5, "refused": [], "skipped": [], "conflicts": [], "redacted": []}
    assert asked("POST", "/interactions", day) == again
    assert handler("plan")(event("plan"), Context()) == {"users": 1}
    assert queue.sent == [USER]
    assert handler("night")(event("night"), Context(milliseconds=900_000)) == {"batchItemFailures": []}
    (run,) = asked("GET", "/runs")["runs"]
    assert (run["status"], run["mode"], len(run["interactions"])) == ("done", "rules", 5)
    assert any("allergic to peanuts" in content for content in contents(ports))
    said = [one["rests_on"] for one in asked("GET", "/runs/last")["operations"]]
    assert "My daughter Mia is allergic to peanuts." in said
    assert asked("POST", f"/runs/{run['run_id']}/undo")["kind"] == "undo"
    assert contents(ports) == set()


def test_a_message_that_comes_twice_changes_nothing_the_second_time(ports: Ports, queue: Queue) -> None:
    asked("POST", "/interactions", event("interactions"))
    assert night(message(USER)) == []
    after = [memory.model_dump() for memory in ports.records.all(USER)]
    assert night(message(USER)) == []
    assert [memory.model_dump() for memory in ports.records.all(USER)] == after
    assert len(asked("GET", "/runs")["runs"]) == 1
    assert nightly_functions.plan({}, Context()) == {"users": 0}


def test_each_user_has_a_message_and_only_their_own_days_are_read(ports: Ports, queue: Queue) -> None:
    backends: dict[str, Any] = {"authorizer": iam()}
    for name in ("ana", "ben"):
        asked("POST", "/interactions", event("interactions"), headers={"x-commonplace-user": name}, **backends)
    nightly_functions.plan(event("plan"), Context())
    ana, ben = sorted(queue.sent)
    assert night(message(ana)) == []
    assert contents(ports, ana)
    assert not contents(ports, ben)


def test_whose_lease_somebody_holds_is_done_with(ports: Ports, queue: Queue) -> None:
    asked("POST", "/interactions", event("interactions"))
    leases = container.night().leases
    fence = leases.lease(USER, NOON, NOON + timedelta(minutes=10))
    assert fence is not None
    assert night(message(USER)) == []
    assert not contents(ports)
    leases.release(fence)
    assert night(message(USER)) == []
    assert contents(ports)


def test_what_time_does_not_reach_goes_on_in_a_message_of_its_own(
    ports: Ports, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    days = [
        {"type": "explicit", "id": f"wish-{day}", "time": f"2026-05-{day}T10:00:00+02:00", "text": text}
        for day, text in ((17, "Remember that I work as a nurse."), (18, "Remember that I live in Leipzig."))
    ]
    asked("POST", "/interactions", {"interactions": days})
    left = iter([900_000, 60_000, 59_999])  # begin, before the first day, before the second
    context = Context()
    monkeypatch.setattr(context, "get_remaining_time_in_millis", lambda: next(left, 0))
    assert nightly_functions.night({"Records": [message(USER)]}, context) == {"batchItemFailures": []}
    assert queue.sent == [USER]
    assert asked("GET", "/runs")["runs"][0]["status"] == "running"
    assert [content for content in contents(ports) if "nurse" in content]
    assert night(message(USER)) == []
    (run,) = asked("GET", "/runs")["runs"]
    assert (run["status"], len(run["interactions"])) == ("done", 2)
    assert [content for content in contents(ports) if "Leipzig" in content]
    assert queue.sent == [USER]


def test_one_that_fails_comes_again_and_the_others_do_not(
    ports: Ports, queue: Queue, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    asked("POST", "/interactions", event("interactions"))
    ledger = container.night().ledger
    pending = ledger.pending

    def broken(user_id: str, limit: int) -> Any:
        if user_id.endswith("ben"):
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy")
        return pending(user_id, limit)

    monkeypatch.setattr(ledger, "pending", broken)
    malformed = {**message(USER, 3), "body": "Zanzibar"}
    assert night(message("direct|ben", 1), message(USER, 2), malformed) == ["message-1", "message-3"]
    assert contents(ports)
    assert "Zanzibar" not in caplog.text


def test_a_plan_that_cannot_be_sent_is_an_error(ports: Ports, queue: Queue) -> None:
    asked("POST", "/interactions", event("interactions"))
    queue.down = True
    with pytest.raises(RuntimeError, match="the queue is down"):
        nightly_functions.plan(event("plan"), Context())
    queue.down = False
    assert nightly_functions.plan(event("plan"), Context()) == {"users": 1}


def test_who_has_nothing_but_texts_that_were_kept_long_enough_is_planned_too(
    ports: Ports, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked("POST", "/interactions", event("interactions"))
    night(message(USER))
    later = Caller(USER, NOON + timedelta(days=29))  # what the user does confirms the clock of a file
    dispatch.call("store_memory", {"content": "I like tea."}, later, ports)
    monkeypatch.setattr(container, "now", lambda zone: (NOON + timedelta(days=31)).astimezone(zone))
    assert nightly_functions.plan(event("plan"), Context()) == {"users": 1}
    night(message(USER))
    assert [entry.interaction for entry in container.night().ledger.entries(USER, ["talk-1", "wish-1"])] == [None, None]
    assert nightly_functions.plan(event("plan"), Context()) == {"users": 0}


def test_what_a_night_did_is_counted(ports: Ports, queue: Queue, told: Callable[[], list[dict[str, Any]]]) -> None:
    asked("POST", "/interactions", event("interactions"))
    told()
    nightly_functions.plan(event("plan"), Context())
    (planned,) = told()
    assert (planned["service"], planned["Planned"]) == ("plan", [1])
    night(message(USER))
    (read,) = told()
    assert (read["service"], read["Runs"], read["Read"], read["Unread"]) == ("night", [1], [5], [0])
    assert read["Applied"][0] == len(contents(ports))
    assert read["LoggedErrors"] == [0]


def test_an_error_that_a_night_logs_is_counted(
    ports: Ports, queue: Queue, told: Callable[[], list[dict[str, Any]]], monkeypatch: pytest.MonkeyPatch
) -> None:
    asked("POST", "/interactions", event("interactions"))

    def failing(*_: object) -> Any:
        raise ValueError("Zanzibar")

    monkeypatch.setattr("commonplace.nightly.readers.ModeReader.read_day", failing)
    told()
    assert night(message(USER)) == []
    (read,) = told()
    assert read["Unread"] == [5]
    assert read["LoggedErrors"] == [5]


@pytest.mark.parametrize("offset", ["+09:00", "-08:00"])
def test_days_are_those_of_the_offset_that_they_were_recorded_with(
    offset: str, ports: Ports, queue: Queue, monkeypatch: pytest.MonkeyPatch
) -> None:
    zones: list[tzinfo] = []

    def at(zone: tzinfo) -> datetime:
        zones.append(zone)
        return NIGHT.astimezone(zone)

    wish = {
        "type": "explicit",
        "id": "wish",
        "time": f"2026-05-20T07:00:00{offset}",
        "text": "Remember that I cycle to work.",
    }
    asked("POST", "/interactions", {"interactions": [wish]})
    monkeypatch.setattr(container, "now", at)
    assert night(message(USER)) == []
    assert {NIGHT.astimezone(zone).strftime("%z") for zone in zones} == {offset.replace(":", "")}


def test_a_run_goes_on_by_the_calendar_that_it_began_with(queue: Queue, ports: Ports) -> None:
    kept: NightPorts = container.night()
    assert zone_of(USER, kept) == UTC
    east = timezone(timedelta(hours=9))
    run = Run(run_id=new_run_id(NOON), user_id=USER, date=NOON.date(), started_at=NOON.astimezone(east))
    fence = kept.leases.lease(USER, NOON, NOON + timedelta(minutes=10))
    assert fence is not None
    kept.runs.save(run, fence)
    found = zone_of(USER, kept)
    assert NOON.astimezone(found).utcoffset() == timedelta(hours=9)


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("GET", "/interactions", None, 405, "method_not_allowed"),
        ("POST", "/interactions", {}, 400, "missing_field"),
        ("POST", "/interactions", b"{", 400, "invalid_json"),
        ("GET", "/runs/run_nothing", None, 404, "not_found"),
        ("GET", "/runs/last", None, 404, "not_found"),
        ("POST", "/runs", {}, 405, "method_not_allowed"),
        ("POST", "/runs/last/undo", None, 404, "not_found"),
        ("POST", "/runs/last/forget", None, 404, "not_found"),
        ("GET", "/history/nobody", None, 404, "key_not_found"),
    ],
)
def test_what_is_no_request_of_a_night(method: str, path: str, body: Any, status: int, code: str, queue: Queue) -> None:
    assert asked(method, path, body, status)["error"]["code"] == code


def test_the_newest_runs_are_listed_as_many_as_asked_for(queue: Queue, ports: Ports) -> None:
    for number in range(3):
        wish = {"type": "explicit", "id": f"wish-{number}", "time": NOON.isoformat(), "text": "Remember that I like tea."}
        asked("POST", "/interactions", {"interactions": [wish]})
        night(message(USER))
    assert len(asked("GET", "/runs", query={"limit": "2"})["runs"]) == 2
    assert asked("GET", "/runs", query={"limit": "many"}, status=400)["error"]["field"] == "limit"


def test_the_history_of_a_key_is_told(queue: Queue, ports: Ports) -> None:
    written = {"key": "role", "value": "The user is a nurse.", "category": "work_context", "durability": "durable"}
    assert handler("write")(http("/tools/write_memory", written), Context())["statusCode"] == 200
    assert [value["value"] for value in asked("GET", "/history/role")["values"]] == ["The user is a nurse."]


def test_nights_are_asked_for_over_http_and_in_no_other_way(queue: Queue, ports: Ports) -> None:
    assert "error" in handler("record")({"tool": "interactions", "arguments": {}, "identity": {"user_id": "ana"}}, Context())
    refused = handler("record")(agent("interactions", {}), Context())["response"]["functionResponse"]
    assert "unknown_tool" in refused["responseBody"]["TEXT"]["body"]
    assert asked("GET", "/runs", authorizer={}, status=401)["error"]["code"] == "unauthorized"
    elsewhere = handler("store")(http("/runs", method="GET"), Context())
    assert (elsewhere["statusCode"], json.loads(elsewhere["body"])["error"]["code"]) == (404, "unknown_tool")


def test_a_list_of_long_runs_ends_where_an_answer_does(queue: Queue, ports: Ports) -> None:
    opened, numbers = container.night(), range(7)
    kept = opened.runs
    fence = opened.leases.lease(USER, NOON, NOON + timedelta(minutes=10))
    assert fence is not None
    for number in numbers:
        reasons = tuple(Dropped(interaction_id=f"d{one}", why="w" * 300) for one in range(2_500))
        told = Run(run_id=f"run_{number:026d}", user_id=USER, date=NOON.date(), started_at=NOON, dropped=reasons)
        kept.save(told.model_copy(update={"status": "done"}), fence)
    listed = asked("GET", "/runs")
    assert [run["run_id"][-1] for run in listed["runs"]] == ["6", "5", "4", "3"]
    assert listed["notes"]["partial"].startswith("3 older runs are left out")
    assert "notes" not in asked("GET", "/runs", query={"limit": "4"})


def test_an_undo_with_nothing_to_take_back_says_so(queue: Queue, ports: Ports) -> None:
    wish = {"type": "explicit", "id": "wish", "time": NOON.isoformat(), "text": "Remember that I like tea."}
    asked("POST", "/interactions", {"interactions": [wish]})
    night(message(USER))
    assert asked("POST", "/runs/last/undo")["notes"] == []
    assert asked("POST", "/runs/last/undo")["notes"] == ["there was nothing to take back"]
