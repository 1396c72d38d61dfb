"""What is really asked of DynamoDB, SQS and S3 is what the template allows the function that asks."""

import json
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from botocore.client import BaseClient

from cloud.invoke_api import invoke_api
from commonplace.bootstrap.functions import open_functions
from commonplace.contract.registry import TOOLS, Tool, tool_named
from commonplace.interfaces.aws import container, nightly_functions
from commonplace.settings import Settings
from tests.integration.lambda_calls import ISSUER, Context, handler, http, token
from tests.integration.test_nights import asked, message, recorded, runs_of
from tests.integration.test_nights import queue as queue
from tests.stack import Stack

pytestmark = pytest.mark.integration

EVENTS = Path(__file__).parents[2] / "events"
IN_A_TRANSACTION = {"Put": "PutItem", "Update": "UpdateItem", "Delete": "DeleteItem", "ConditionCheck": "ConditionCheckItem"}
BY_ANOTHER_NAME = {
    "s3:ListObjectsV2": "s3:ListBucket", "s3:ListObjectVersions": "s3:ListBucketVersions",
    "s3:DeleteObjects": "s3:DeleteObjectVersion", "sqs:SendMessageBatch": "sqs:SendMessage",
    "lambda:Invoke": "lambda:InvokeFunction",
}  # fmt: skip


@pytest.fixture
def sent(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The rights that every call to AWS needs, counted."""
    counted: Counter[str] = Counter()
    make = BaseClient._make_api_call  # type: ignore[attr-defined]

    def noted(client: Any, operation: str, parameters: Any) -> Any:
        service = client.meta.service_model.endpoint_prefix
        actions = [IN_A_TRANSACTION[kind] for action in parameters.get("TransactItems", ()) for kind in action]
        counted.update(BY_ANOTHER_NAME.get(f"{service}:{kind}", f"{service}:{kind}") for kind in actions or [operation])
        return make(client, operation, parameters)

    monkeypatch.setattr(BaseClient, "_make_api_call", noted)
    return counted


def refused(sent: Counter[str], function: str) -> set[str]:
    """What the role of a function doesn't allow of what was asked."""
    assert sent
    return set(sent) - {action for action, _ in Stack(Search="none").may(function)}


@pytest.mark.parametrize("tool", [tool for tool in TOOLS if tool.function != "normalize"], ids=lambda tool: tool.name)
def test_a_tool(tool: Tool, queue: str, sent: Counter[str]) -> None:
    def called(name: str, function: str) -> None:
        event = http(f"/tools/{name}", json.loads((EVENTS / f"{name}.json").read_text("utf-8")), authorizer=token("ana"))
        assert handler(function)(event, Context())["statusCode"] == 200

    called("store_memory", "store")
    called("write_memory", "write")
    sent.clear()
    called(tool.name, tool.function)
    assert not refused(sent, tool.function)


@pytest.mark.parametrize(
    ("function", "work"),
    [
        ("record", lambda: [recorded("ben"), runs_of("ben")]),
        ("record", lambda: [asked("GET", "/history/nothing"), asked("GET", "/runs/last"), asked("POST", "/runs/last/undo")]),
        ("plan", lambda: nightly_functions.plan({}, Context())),
        ("night", lambda: nightly_functions.night({"Records": [message("ben")]}, Context(milliseconds=900_000))),
    ],
    ids=["record", "undo", "plan", "night"],
)
def test_a_night(function: str, work: Callable[[], object], queue: str, sent: Counter[str]) -> None:
    recorded("ana")
    recorded("ben")
    nightly_functions.night({"Records": [message("ana")]}, Context(milliseconds=900_000))
    sent.clear()
    work()
    assert not refused(sent, function)


def test_feedback(queue: str, sent: Counter[str]) -> None:
    def called(function: str, path: str, body: object) -> Any:
        answer = handler(function)(http(path, body), Context())
        assert answer["statusCode"] == 200, answer["body"]
        return json.loads(answer["body"])

    memory_id = called("store", "/tools/store_memory", {"content": "I drink green tea at noon."})["memory_id"]
    sent.clear()
    assert called("record", "/feedback", {"memory_id": memory_id, "query": "green tea", "useful": True})["kept"]
    assert called("record", "/feedback/forget", {"memory_id": memory_id})["forgotten"] == 1
    assert sent["dynamodb:ConditionCheckItem"]
    assert not refused(sent, "record")


@pytest.mark.parametrize("name", [
    "import_memories", "export_memories", "backup_restore", "optimize_tags", "validate_storage", "repair_index",
])  # fmt: skip
def test_what_is_handed_on(name: str, queue: str, sent: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(container, "_WORKING", 0.0)
    function, given = tool_named(name).function, json.loads((EVENTS / f"{name}.json").read_text("utf-8"))
    scope = token("ana", "openid commonplace/admin")
    stored = http("/tools/store_memory", {"content": "My daughter Mia is allergic to peanuts."}, authorizer=scope)
    assert handler("store")(stored, Context())["statusCode"] == 200
    sent.clear()
    response = handler(function)(http(f"/tools/{name}", given, authorizer=scope), Context())
    told = json.loads(response["body"])
    assert (told["status"], sent["sqs:SendMessage"]) == ("running", 1)
    assert not refused(sent, function)
    sent.clear()
    body = {"user_id": f"{ISSUER}|ana", "run_id": told["run_id"]}
    record = {"messageId": "message-1", "body": json.dumps(body)}
    assert nightly_functions.night({"Records": [record]}, Context(milliseconds=900_000)) == {"batchItemFailures": []}
    assert not refused(sent, "night")
    (run,) = runs_of("ana")
    assert (run["run_id"], run["status"]) in [(told["run_id"], "done"), (told["run_id"], "needs_review")]


def test_what_is_forgotten_goes_from_the_bucket_too(queue: str, sent: Counter[str]) -> None:
    recorded("ana")
    nightly_functions.night({"Records": [message("ana")]}, Context(milliseconds=900_000))
    wish = {
        "type": "explicit",
        "id": "wish-2",
        "time": "2026-05-21T10:00:00+02:00",
        "text": "Forget that Mia is allergic to peanuts.",
    }
    recorded("ana", {"interactions": [wish]})
    sent.clear()
    nightly_functions.night({"Records": [message("ana")]}, Context(milliseconds=900_000))
    assert sent["s3:ListBucketVersions"]
    assert not refused(sent, "night")


def test_what_speaks_mcp_only_invokes(sent: Counter[str], monkeypatch: pytest.MonkeyPatch) -> None:
    stored = {"statusCode": 200, "body": json.dumps({"memory_id": "mem_1"})}
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "test")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "test")
    with invoke_api({"store": lambda *_: stored}) as url:
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", url)
        functions = open_functions(Settings(tool_functions="store=store"))
        monkeypatch.setattr(container, "functions", lambda: functions)
        asked = {"name": "store_memory", "arguments": {"content": "I keep bees."}}
        request = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": asked}
        answer = handler("mcp")(http("/mcp", request, headers={"accept": "application/json, text/event-stream"}), Context())
    assert json.loads(answer["body"])["result"]["structuredContent"] == {"memory_id": "mem_1"}
    assert sent == {"lambda:InvokeFunction": 1}
    assert not refused(sent, "mcp")
