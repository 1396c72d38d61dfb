"""Every file of `events/`, in every kind of event, through the built functions and the real servers."""

import base64
import hashlib
import json
import uuid
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from queue import Queue
from typing import Any

import pytest
from opensearchpy import OpenSearch

from cloud.invoke_api import invoke_api
from cloud.invoking import Handler
from cloud.lambda_runtime import Container, started
from cloud.listener import Listener, Request, Response
from commonplace.contract.manifest import manifest
from commonplace.contract.registry import TOOLS, tool_named
from tests.integration.lambda_calls import GATEWAY, ISSUER, KINDS, Kind, http
from tests.stack import ROOT

_KEEP_A_FILE = ("export_memories", "backup_restore")  # in a bucket, and no server of these tests has one: others call them
EVENTS = sorted((ROOT / "events").glob("*.json"))
NIGHT = ROOT / "events" / "night"
Start = Callable[..., Container]


@pytest.fixture(scope="module")
def queue() -> Queue[str]:
    """The bodies that were sent to the queue that `environment` names: of SQS only the sending of a batch is played."""
    return Queue()


@pytest.fixture(scope="module")
def environment(dynamodb_url: str, opensearch_url: str, queue: Queue[str]) -> Iterator[dict[str, str]]:
    """What the template sets, for servers on this machine."""

    def taken(request: Request) -> Response:
        entries = json.loads(request.body)["Entries"]
        for entry in entries:
            queue.put(entry["MessageBody"])
        done = [
            {
                "Id": entry["Id"], "MessageId": str(uuid.uuid4()),
                "MD5OfMessageBody": hashlib.md5(entry["MessageBody"].encode(), usedforsecurity=False).hexdigest(),
            }
            for entry in entries
        ]  # fmt: skip
        return Response(200, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps({"Successful": done}).encode())

    sqs = Listener(0, taken)
    yield {
        "AWS_ENDPOINT_URL_SQS": f"http://127.0.0.1:{sqs.server_port}",
        "COMMONPLACE_NIGHT_QUEUE": f"http://127.0.0.1:{sqs.server_port}/nights",
        "AWS_ENDPOINT_URL_DYNAMODB": dynamodb_url,
        "COMMONPLACE_SEARCH_ENDPOINT": opensearch_url,
        "COMMONPLACE_AGENTCORE_GATEWAYS": GATEWAY,
    }
    sqs.end()


@pytest.fixture
def start(environment: dict[str, str], table_name: str, new_index: str, tmp_path: Path) -> Iterator[Start]:
    """Starts the container of a function, once a test."""
    running: dict[str, Container] = {}
    with ExitStack() as stack:

        def starter(function: str, **more: str) -> Container:
            if function not in running:
                names = {"COMMONPLACE_TABLE": table_name, "COMMONPLACE_INDEX_ALIAS": new_index, **more}
                log = tmp_path / f"{function}.log"
                running[function] = stack.enter_context(started(function, environment | names, log))
            return running[function]

        yield starter


def call(start: Start, kind: Kind, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    event, context = kind.envelope(tool, arguments)
    custom = context.client_context.custom if context.client_context else None
    status, body = kind.read(start(tool_named(tool).function).api.invoke(event, custom))
    assert status == 200, body
    return body


def test_there_is_an_event_for_every_tool() -> None:
    assert {path.stem for path in EVENTS} == {tool.name for tool in TOOLS}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_event_is_answered(kind: Kind, start: Start) -> None:
    first = [path for path in EVENTS if tool_named(path.stem).function == "store" or path.stem == "write_memory"]
    answered = [path for path in EVENTS if path.stem not in _KEEP_A_FILE]
    for path in [*first, *sorted(answered, key=lambda path: path.stem == "delete_memory")]:
        if path.stem in ("get_memory", "update_memory", "delete_memory", "history"):  # they need what `write_memory` writes
            call(start, kind, "write_memory", json.loads((ROOT / "events" / "write_memory.json").read_text("utf-8")))
        body = call(start, kind, path.stem, json.loads(path.read_text("utf-8")))
        tool_named(path.stem).result.model_validate(body)


def test_what_was_stored_is_found_by_the_next_search(start: Start) -> None:
    direct = KINDS[-1]
    call(start, direct, "store_memory", {"content": "My daughter Mia is allergic to peanuts."})
    found = call(start, direct, "search_memory", {"query": "Is anybody allergic to something?"})
    assert [memory["content"] for memory in found["results"]] == ["My daughter Mia is allergic to peanuts."]
    assert "degraded" not in (found.get("notes") or {})
    state = call(start, direct, "discover_memory_tools", {})["current_system_state"]
    assert state["total_memories"] == 1


def test_turns_are_imported_and_the_manifest_is_told(start: Start) -> None:
    turns = [{"session_id": "s", "position": 0, "speaker": "user", "text": "I moved to Lisbon in March."}]
    answer = start("store").api.invoke(http("/import", {"turns": turns}))
    assert answer["statusCode"] == 200, answer
    answer = start("store").api.invoke(http("/memories", {"memories": [{"content": "I keep bees."}]}))
    assert json.loads(answer["body"])["refused"] == 0, answer
    listed = start("discover").api.invoke(http("/tools", method="GET"))
    assert json.loads(listed["body"]) == json.loads(json.dumps(manifest()))


def test_the_stream_reaches_the_index(
    start: Start, table_name: str, new_index: str, dynamodb_client: Any, opensearch_client: OpenSearch
) -> None:
    call(start, KINDS[-1], "store_memory", {"content": "The staging database moves on Friday."})
    rows = dynamodb_client.scan(TableName=table_name)["Items"]
    (row,) = [row for row in rows if row["item"]["S"].startswith("memory#")]
    image = json.loads(json.dumps(row, default=lambda value: base64.b64encode(value).decode()))
    key = {name: row[name] for name in ("user", "item")}
    change = {"Keys": key, "NewImage": image, "SequenceNumber": "1", "ApproximateCreationDateTime": 1_779_000_000}
    record = {"eventID": "1", "eventName": "INSERT", "eventSource": "aws:dynamodb", "dynamodb": change}
    assert start("index").api.invoke({"Records": [record]}) == {"batchItemFailures": []}
    opensearch_client.indices.refresh(index=new_index)
    assert opensearch_client.count(index=new_index)["count"] == 1
    left = dynamodb_client.scan(TableName=table_name)["Items"]
    assert not [row for row in left if row["item"]["S"].startswith("pending#")]
    nothing_left = start("reconcile").api.invoke({"id": "1", "time": "2026-05-20T10:00:00Z"})
    assert nothing_left == {"folded": 0}


def test_a_night_is_recorded_planned_read_and_shown(start: Start, queue: Queue[str]) -> None:
    day, planned, message = (
        json.loads((NIGHT / f"{name}.json").read_text("utf-8")) for name in ("interactions", "plan", "night")
    )
    answer = start("record").api.invoke(http("/interactions", day))
    assert answer["statusCode"] == 200, answer
    assert start("plan").api.invoke(planned) == {"users": 1}
    assert queue.get_nowait() == message["Records"][0]["body"]
    assert start("night").api.invoke(message, seconds=900.0) == {"batchItemFailures": []}
    told = json.loads(start("record").api.invoke(http("/runs/last", method="GET"))["body"])
    assert "My daughter Mia is allergic to peanuts." in [one["rests_on"] for one in told["operations"]]
    for function in ("record", "night"):
        assert "peanuts" not in start(function).log.read_text("utf-8")


def test_an_agent_asks_one_function_and_that_the_others(start: Start) -> None:
    def built(function: str) -> Handler:
        return lambda event, _: start(function).api.invoke(event)

    def answered(method: str, **params: Any) -> Any:
        request = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        answer = mcp.api.invoke(http("/mcp", request, headers={"accept": "application/json, text/event-stream"}))
        assert answer["statusCode"] == 200, answer
        result = json.loads(answer["body"])["result"]
        assert not result.get("isError"), result
        return result

    names = ("store", "search", "read")
    with invoke_api({name: built(name) for name in names}) as url:
        more = {"COMMONPLACE_TOOL_FUNCTIONS": ",".join(f"{name}={name}" for name in names), "COMMONPLACE_ISSUER": ISSUER}
        mcp = start("mcp", AWS_ENDPOINT_URL_LAMBDA=url, **more)
        assert "store_memory" in {tool["name"] for tool in answered("tools/list")["tools"]}
        answered("tools/call", name="store_memory", arguments={"content": "My daughter Mia is allergic to peanuts."})
        found = answered("tools/call", name="search_memory", arguments={"query": "Is anybody allergic?"})["structuredContent"]
        assert [memory["content"] for memory in found["results"]] == ["My daughter Mia is allergic to peanuts."]
        assert "peanuts" in answered("resources/read", uri="memory://pages/MEMORY.md")["contents"][0]["text"]
        told = mcp.api.invoke(http("/.well-known/oauth-protected-resource/mcp", method="GET", authorizer={}))
    assert json.loads(told["body"])["authorization_servers"] == [ISSUER]
    assert '"tool"' in mcp.log.read_text("utf-8")
    assert "peanuts" not in mcp.log.read_text("utf-8")


def test_no_text_of_a_memory_is_logged(start: Start) -> None:
    call(start, KINDS[-1], "store_memory", {"content": "My daughter Mia is allergic to peanuts."})
    call(start, KINDS[-1], "search_memory", {"query": "peanuts"})
    for function in ("store", "search"):
        log = start(function).log.read_text("utf-8")
        assert '"tool"' in log
        assert "peanuts" not in log
