"""Nights of many users on the real DynamoDB, behind a queue that moto plays: all are read, nothing is read twice."""

import json
from collections.abc import Iterator
from itertools import repeat
from pathlib import Path
from typing import Any

import boto3
import pytest
from moto import mock_aws

from cloud.invoking import REGION, Handler
from cloud.nights import all_read
from cloud.queue import QueueSource, Workers
from commonplace.adapters.dynamodb.runs import DynamoRuns
from commonplace.domain.runs import Run
from commonplace.interfaces.aws import container, nightly_functions
from commonplace.settings import read_settings
from tests.integration.lambda_calls import ISSUER, Context, handler, http, token
from tests.integration.scripted_messages_api import Fails, ScriptedMessagesApi

pytestmark = pytest.mark.integration

EVENTS = Path(__file__).parents[2] / "events"
DAY = json.loads((EVENTS / "night" / "interactions.json").read_text("utf-8"))
USERS = [f"user-{number:02}" for number in range(12)]
OPENED = (container.settings, container.store, container.night, container.night_schedule)


@pytest.fixture
def queue(dynamodb_url: str, table_name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The queue's URL; the containers are as in AWS, by their environment alone."""
    with mock_aws():
        sqs: Any = boto3.client("sqs", region_name=REGION)
        url: str = sqs.create_queue(QueueName="nights", Attributes={"VisibilityTimeout": "10"})["QueueUrl"]
        s3: Any = boto3.client("s3", region_name=REGION)
        s3.create_bucket(Bucket="pages", CreateBucketConfiguration={"LocationConstraint": REGION})
        given = {
            "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url, "AWS_REGION": REGION, "COMMONPLACE_TABLE": table_name,
            "COMMONPLACE_NIGHT_QUEUE": url, "COMMONPLACE_PAGES_BUCKET": "pages",
        }  # fmt: skip
        for name, value in given.items():
            monkeypatch.setenv(name, value)
        for opened in OPENED:
            opened.cache_clear()
        assert read_settings().search_endpoint is None
        yield url
        for opened in OPENED:
            opened.cache_clear()


def recorded(user: str, body: object = DAY) -> Any:
    response = handler("record")(http("/interactions", body, authorizer=token(user)), Context())
    assert response["statusCode"] == 200, response["body"]
    return json.loads(response["body"])


def runs_of(user: str) -> list[Any]:
    response = handler("record")(http("/runs", None, "GET", authorizer=token(user)), Context())
    runs: list[Any] = json.loads(response["body"])["runs"]
    return runs


def contents(user: str) -> list[str]:
    return sorted(memory.content for memory in container.ports().records.all(f"{ISSUER}|{user}"))


def worked(url: str, work: Handler = nightly_functions.night) -> None:
    """Has the queue worked off."""
    source = QueueSource(batch_size=1, most_at_once=4, partial=True, seconds=900)
    with Workers(boto3.client("sqs", region_name=REGION), url, work, source):
        assert all_read(url, 120)


def test_every_user_is_read_and_none_twice(queue: str) -> None:
    for user in USERS:
        recorded(user)
    assert nightly_functions.plan({}, Context(milliseconds=900_000)) == {"users": len(USERS)}
    assert nightly_functions.plan({}, Context(milliseconds=900_000)) == {"users": len(USERS)}  # delivered twice
    worked(queue)
    first = contents(USERS[0])
    assert any("allergic to peanuts" in content for content in first)
    for user in USERS:
        assert contents(user) == first
        (run,) = runs_of(user)
        assert (run["status"], len(run["interactions"]), run["unread"]) == ("done", len(DAY["interactions"]), [])
    assert nightly_functions.plan({}, Context()) == {"users": 0}


def test_what_a_tool_has_no_time_for_goes_on_behind_the_queue(queue: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_WORKING", 0.0)
    given = json.loads((EVENTS / "import_memories.json").read_text("utf-8"))
    told = called("import_memories", {**given, "dry_run": False})
    assert told["status"] == "running"
    worked(queue)
    done = called("import_memories", {"run_id": told["run_id"]})
    assert (done["status"], done["new"], len(contents("ana"))) == ("done", 1, 1)
    exported = called("export_memories", {})
    worked(queue)
    assert called("export_memories", {"run_id": exported["run_id"]})["count"] == 1


def called(tool: str, given: Any) -> Any:
    event = http(f"/tools/{tool}", given, authorizer=token("ana", "openid commonplace/admin"))
    response = handler("transfer")(event, Context())
    assert response["statusCode"] == 200, response["body"]
    return json.loads(response["body"])


def test_a_worker_that_dies_is_followed_by_another(queue: str) -> None:
    """The message comes again, and the run that died goes on where it was; each memory is there once."""
    died: list[str] = []
    days = [
        {"type": "explicit", "id": f"wish-{day}", "time": f"2026-05-{day}T10:00:00+02:00", "text": text}
        for day, text in ((17, "Remember that I work as a nurse."), (18, "Remember that I live in Leipzig."))
    ]
    recorded("ana", {"interactions": days})
    recorded("ben")
    nightly_functions.plan({}, Context())

    def die() -> int:
        died.append(runs_of("ana")[0]["status"])
        raise RuntimeError("the worker died")

    sqs: Any = boto3.client("sqs", region_name=REGION)

    def mortal(event: dict[str, Any], context: Any) -> Any:
        (record,) = event["Records"]
        if "ana" not in record["body"] or died:
            return nightly_functions.night(event, context)
        left = iter([900_000, 900_000])  # at its beginning, and before the first day
        context.get_remaining_time_in_millis = lambda: next(left, None) or die()
        try:
            return nightly_functions.night(event, context)
        finally:  # nobody has to wait until its visibility timeout is over
            sqs.change_message_visibility(QueueUrl=queue, ReceiptHandle=record["receiptHandle"], VisibilityTimeout=0)

    worked(queue, mortal)
    assert died == ["running"]
    (run,) = runs_of("ana")
    assert (run["status"], len(run["interactions"])) == ("done", 2)
    assert len(contents("ana")) == len(set(contents("ana"))) == 2
    assert contents("ben")


@pytest.mark.parametrize(
    ("status", "kind", "unread", "errors"),
    [(401, "authentication_error", 0, True), (529, "overloaded_error", 3, False)],  # titles need no model
    ids=["misconfigured", "overloaded"],
)
def test_a_model_that_is_misconfigured_is_replaced_and_heard_and_one_that_is_down_waited_for(
    status: int, kind: str, unread: int, errors: bool, queue: str, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    with ScriptedMessagesApi(repeat(Fails(status, kind, headers={"retry-after": "0"}))) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-scripted")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        container.settings.cache_clear()
        recorded("ana")
        capsys.readouterr()
        nightly_functions.night({"Records": [message()]}, Context(milliseconds=900_000))
    (told,) = (json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line)
    assert (told["Read"], told["Unread"]) == ([len(DAY["interactions"]) - unread], [unread])
    assert (told["LoggedErrors"][0] > 0) == errors
    (run,) = runs_of("ana")
    assert (run["mode"], run["status"], len(run["unread"])) == ("pipeline", "done", unread)
    assert any("peanuts" in content for content in contents("ana")) == (not unread)
    assert nightly_functions.plan({}, Context()) == {"users": bool(unread)}


def test_a_worker_that_dies_while_it_closes_its_run_counts_a_failure_once(
    queue: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On DynamoDB a run closes in several transactions: those before the last have counted already."""
    kept, died = DynamoRuns._replace_text, list[str]()

    def mortal(runs: DynamoRuns, run: Run, *more: Any) -> None:
        if run.status == "done" and not died:
            died.append(run.run_id)
            raise RuntimeError("the worker died")
        kept(runs, run, *more)

    with ScriptedMessagesApi(repeat(Fails(529, "overloaded_error", headers={"retry-after": "0"}))) as api:
        monkeypatch.setenv("ANTHROPIC_API_KEY", "sk-ant-api03-scripted")
        monkeypatch.setenv("ANTHROPIC_BASE_URL", api.base_url)
        container.settings.cache_clear()
        recorded("ana")
        monkeypatch.setattr(DynamoRuns, "_replace_text", mortal)
        assert nightly_functions.night({"Records": [message()]}, Context(milliseconds=900_000))["batchItemFailures"]
        assert not nightly_functions.night({"Records": [message()]}, Context(milliseconds=900_000))["batchItemFailures"]
    (run,) = runs_of("ana")
    assert (died, len(run["unread"])) == ([run["run_id"]], 3)
    assert [one.failures for one in container.night().ledger.entries(f"{ISSUER}|ana", run["unread"])] == [1, 1, 1]


def test_each_user_s_pages_are_written_into_a_folder_that_tells_no_name(queue: str) -> None:
    for user in USERS[:2]:
        recorded(user)
        nightly_functions.night({"Records": [message(user)]}, Context(milliseconds=900_000))
    s3: Any = boto3.client("s3", region_name=REGION)
    pages = [one["Key"] for one in s3.list_objects_v2(Bucket="pages")["Contents"]]
    (first, second) = (key for key in pages if key.endswith("/MEMORY.md"))
    assert first != second
    assert "user-0" not in "".join(pages)
    assert "allergic to peanuts" in s3.get_object(Bucket="pages", Key=first)["Body"].read().decode()
    before = s3.get_object(Bucket="pages", Key=first)["ETag"], s3.get_object(Bucket="pages", Key=second)["ETag"]
    asked("POST", "/runs/last/undo", USERS[0])
    after = s3.get_object(Bucket="pages", Key=first)["ETag"], s3.get_object(Bucket="pages", Key=second)["ETag"]
    assert sum(was != now for was, now in zip(before, after, strict=True)) == 1


def test_a_wish_reaches_more_memories_than_one_transaction_has_room_for(queue: str) -> None:
    for number in range(30):
        written = {
            "key": f"lesson_{number}",
            "value": f"Bassoon lesson {number} was at number {number}00",
            "allow_similar": True,
        }
        fields = {"category": "personal_context", "durability": "durable"}
        told = handler("write")(http("/tools/write_memory", written | fields, authorizer=token("ana")), Context())
        assert json.loads(told["body"])["written"], told["body"]
    wish = {"type": "explicit", "id": "wish", "time": "2026-05-20T10:00:00Z", "text": "Forget my bassoon."}
    recorded("ana", {"interactions": [wish]})
    assert nightly_functions.night({"Records": [message()]}, Context(milliseconds=900_000)) == {"batchItemFailures": []}
    assert {memory.status for memory in container.ports().records.all(f"{ISSUER}|ana")} == {"deleted"}
    assert json.loads(asked("POST", "/runs/last/approve")["body"])["status"] == "done"
    assert set(contents("ana")) == {""}


def message(user: str = "ana") -> dict[str, Any]:
    return {"messageId": "message-1", "body": json.dumps({"user_id": f"{ISSUER}|{user}"})}


def asked(method: str, path: str, user: str = "ana") -> Any:
    return handler("record")(http(path, None, method, authorizer=token(user)), Context())
