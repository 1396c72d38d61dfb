"""Each tool by each kind of event, through the handlers of the functions: the same answers as `Commonplace.call`."""

import json
import re
import shutil
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace
from commonplace.bootstrap.local import open_local
from commonplace.contract.manifest import manifest
from commonplace.contract.registry import TOOLS, Tool
from commonplace.contract.validate import check
from commonplace.interfaces.aws.http_api import NIGHT, ROUTES
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases import dispatch
from tests.conftest import NOON
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import KINDS, Context, Kind, called, handler, http

pytestmark = pytest.mark.integration

EVENTS = Path(__file__).parents[2] / "events"
KNOWN = (
    "My daughter Mia is allergic to peanuts.",
    "I go running most mornings before work.",
    "The user decides faster when given two options instead of five.",
    "I decided to move the staging database on Friday.",
)
OF_A_KEY = ("get_memory", "update_memory", "delete_memory", "history")  # they need what `write_memory` writes


def event_of(tool: str) -> Any:
    return json.loads((EVENTS / f"{tool}.json").read_text("utf-8"))


def alike(body: Any) -> Any:
    """An answer without the ids that are made at random, the time that it took, and what tells of the size of records, which
    hold the user's own."""
    body = {name: value for name, value in body.items() if name != "times_ms"}
    told = re.sub(r"(mem|op|run|export|backup)_[0-9A-Z]{26}", r"\1_", json.dumps(body))
    return json.loads(re.sub(r'"(record_bytes|bytes|sha256)": ("\w{64}"|[1-9]\d*)', r'"\1": 1', told))


@pytest.fixture(scope="module")
def filled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file in which the user of each kind of event, and the engine's own user, has stored what is `KNOWN`."""
    file = tmp_path_factory.mktemp("filled") / "memory.db"
    local = open_local(Settings(db=file))
    for user_id in sorted({"local|ana", *(kind.user_id for kind in KINDS)}):
        for text in KNOWN:
            dispatch.call("store_memory", {"content": text}, Caller(user_id, NOON.astimezone(UTC)), local.ports)
    local.close()
    return file


@pytest.fixture
def copies(filled: Path, memory_file: Path, tmp_path: Path) -> None:
    """The filled file, for the functions and for the engine; made before either opens its own."""
    for file in (memory_file, tmp_path / "cloud.db"):
        shutil.copyfile(filled, file)


@pytest.fixture
def expected(open_memory: Callable[..., Commonplace]) -> Commonplace:
    return open_memory(now=lambda: NOON.astimezone(UTC))


def test_every_tool_has_its_event_and_no_other_is_there() -> None:
    assert {path.stem for path in EVENTS.glob("*.json")} == {tool.name for tool in TOOLS}
    for tool in TOOLS:
        check(tool.request, event_of(tool.name))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_each_kind_gives_what_the_engine_gives(
    tool: Tool, kind: Kind, copies: None, ports: Ports, expected: Commonplace
) -> None:
    if tool.name in OF_A_KEY:
        dispatch.call("write_memory", event_of("write_memory"), Caller(kind.user_id, NOON.astimezone(UTC)), ports)
        expected.call("write_memory", event_of("write_memory"))
    status, body = called(kind, tool.name, event_of(tool.name))
    assert status == 200
    asking = replace(expected._build_caller(), admin=kind.admin)
    told = dispatch.call(tool.name, event_of(tool.name), asking, expected._local.ports)
    assert alike(body) == alike(told.model_dump(mode="json"))


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_what_one_kind_stores_its_user_finds_and_nobody_else(kind: Kind, ports: Ports) -> None:
    _, stored = called(kind, "store_memory", event_of("store_memory"))
    assert [memory.memory_id for memory in ports.records.all(kind.user_id)] == [stored["memory_id"]]
    for other in KINDS:
        _, found = called(other, "search_memory", event_of("search_memory"))
        assert (stored["memory_id"] in {hit["id"] for hit in found["results"]}) == (other.user_id == kind.user_id)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize(
    "arguments",
    [
        {"query": "tea", "limit": 0}, {"query": "tea", "limit": 101}, {"query": " "}, {}, {"query": "tea", "user_id": "bo"},
        {"query": "tea", "category": "nowhere"}, {"query": "tea", "options": {"limit": "five"}},
    ],
    ids=str,
)  # fmt: skip
def test_each_kind_refuses_as_the_engine_does(kind: Kind, arguments: Any, ports: Ports, expected: Commonplace) -> None:
    status, body = called(kind, "search_memory", arguments)
    told_status, told = expected.answer("search_memory", arguments)
    assert body == told
    assert status in (0, told_status)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_each_kind_reads_arguments_as_clients_send_them(kind: Kind, ports: Ports) -> None:
    context = '{"force_importance": 5.0, "additional_tags": "[\\"hobby\\"]", "user_note": ""}'
    status, stored = called(kind, "store_memory", {"content": "5", "context": context})
    assert (status, stored["analysis"]["importance_score"]) == (200, 5), stored
    assert "hobby" in stored["analysis"]["generated_tags"]
    status, listed = called(kind, "list_memories", {"limit": "1.0", "options": '{"include_expired": "true"}', "cursor": ""})
    assert (status, [memory["value"] for memory in listed["memories"]]) == (200, ["5"]), listed
    _, refused = called(kind, "export_memories", {"filter": {"category": ""}})
    assert (refused["error"]["code"], refused["error"]["field"]) == ("invalid_argument", "filter.category")


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_function_serves_its_own_tools_only(kind: Kind, ports: Ports) -> None:
    for tool, function in (("store_memory", "search"), ("search_memory", "store"), ("forget_everything", "discover")):
        _, body = called(kind, tool, event_of("store_memory"), function)
        assert body["error"]["code"] == "unknown_tool"
    assert not list(ports.records.all(kind.user_id))


def test_every_route_has_its_function() -> None:
    others = {"/import", "/tools", "/exports/{export_id}", "/uploads", "/memories", *(path for _, path in NIGHT)}
    assert {path.removeprefix("/tools/") for _, path in ROUTES} == {tool.name for tool in TOOLS} | others


def test_the_manifest_is_listed_without_a_user(ports: Ports) -> None:
    response = handler("discover")(http("/tools", method="GET", authorizer={}), Context())
    assert json.loads(response["body"]) == manifest()
    assert handler("store")(http("/tools", method="GET"), Context())["statusCode"] == 404


def test_turns_are_imported_as_the_engine_does(ports: Ports, open_memory: Callable[..., Commonplace]) -> None:
    turns = [
        {"session_id": "s", "position": 1, "speaker": "user", "text": "I keep bees in the garden."},
        {"session_id": "s", "position": 2, "speaker": "assistant", "text": "!"},
    ]
    response = handler("store")(http("/import", {"turns": turns}), Context())
    told = open_memory().import_turns(turns).model_dump(mode="json")
    assert alike(json.loads(response["body"])) == alike(told)
    as_text = {"turns": json.dumps([{**turn, "position": str(turn["position"])} for turn in turns]), "keep": ""}
    response = handler("store")(http("/import", as_text), Context())
    assert alike(json.loads(response["body"])) == alike(told)
    messages = [
        {"role": "system", "content": "The user lives in Oslo."},
        {"role": "user", "content": "I keep bees in Bergen."},
    ]
    for apply in (False, True):
        answer = json.loads(handler("store")(http("/import", {"messages": messages, "apply": apply}), Context())["body"])
        assert (answer["applied"], [one["content"] for one in answer["memories"]]) == (apply, ["I keep bees in Bergen."])
    both = handler("store")(http("/import", {"messages": messages, "turns": turns}), Context())
    assert both["statusCode"] == 400
    refused = handler("store")(http("/import", {"turns": turns, "keep": "none"}), Context())
    assert (refused["statusCode"], json.loads(refused["body"])["error"]["field"]) == (400, "keep")


def test_many_are_stored_as_the_engine_does(ports: Ports, open_memory: Callable[..., Commonplace]) -> None:
    given = [{"content": "I keep bees in the garden."}, {"content": "!"}, {"content": "Mia is allergic to peanuts."}]
    response = handler("store")(http("/memories", {"memories": given}), Context())
    told = open_memory().store_memories(given).model_dump(mode="json")
    assert alike(json.loads(response["body"])) == alike(told)
    mixed = [{"content": "Mia plays the harp.", "context": '{"force_importance": "2"}'}, {"content": "x", "context": "{"}]
    response = handler("store")(http("/memories", {"memories": mixed, "wait": "false"}), Context())
    stored, refused = json.loads(response["body"])["answers"]
    assert stored["analysis"]["importance_score"] == 2
    assert refused["error"]["field"] == "context"
    assert told["refused"] == 1
    late = json.loads(handler("store")(http("/memories", {"memories": given[:1]}), Context(milliseconds=1_500))["body"])
    assert late["answers"][0]["error"]["retryable"]
    not_waited = {"memories": [{"content": "The bees in the garden are gone."}], "wait": False}
    (stored,) = json.loads(handler("store")(http("/memories", not_waited), Context())["body"])["answers"]
    asked = http("/tools/history", {"memory_id": stored["memory_id"]})
    (value,) = json.loads(handler("read")(asked, Context())["body"])["values"]
    assert given[0]["content"] in {one["content"] for one in value["recommendations"]["similar"]}
    refused = handler("store")(http("/memories", {"memories": {}}), Context())
    assert (refused["statusCode"], json.loads(refused["body"])["error"]["field"]) == (400, "memories")


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/tools/search_memory", b"{", 400, "invalid_json"),
        ("POST", "/tools/search_memory", b"[]", 400, "invalid_json"),
        ("POST", "/tools/search_memory", b"", 400, "invalid_json"),
        ("POST", "/tools/search_memory", b'{"query": "a", "query": "b"}', 400, "invalid_json"),
        ("GET", "/tools/search_memory", None, 405, "method_not_allowed"),
        ("POST", "/tools", b"{}", 405, "method_not_allowed"),
        ("GET", "/import", None, 405, "method_not_allowed"),
        ("GET", "/memories", None, 405, "method_not_allowed"),
        ("POST", "/elsewhere", b"{}", 404, "not_found"),
        ("POST", "/tools/", b"{}", 404, "unknown_tool"),
    ],
)
def test_http_that_is_no_call(method: str, path: str, body: bytes | None, status: int, code: str, ports: Ports) -> None:
    response = handler("search")(http(path, body, method), Context())
    assert (response["statusCode"], json.loads(response["body"])["error"]["code"]) == (status, code)


def test_a_named_stage_is_no_part_of_the_path(ports: Ports) -> None:
    event = http("/prod/tools/search_memory", {"query": "tea"})
    event["requestContext"]["stage"] = "prod"
    assert handler("search")(event, Context())["statusCode"] == 200


def test_a_body_that_is_no_base64_is_refused(ports: Ports) -> None:
    event = http("/tools/search_memory", {"query": "tea"}) | {"isBase64Encoded": True}
    assert json.loads(handler("search")(event, Context())["body"])["error"]["code"] == "invalid_json"


def test_an_event_of_no_kind_is_refused(ports: Ports) -> None:
    assert handler("search")({"Records": []}, Context())["error"]["code"] in ("unknown_field", "missing_field")


@pytest.mark.parametrize("event", [[], ["search_memory"], "search_memory", None, 1])
def test_an_event_that_is_no_object_is_the_caller_s_mistake(event: Any, ports: Ports) -> None:
    error = handler("search")(event, Context())["error"]
    assert (error["code"], error["message"]) == ("invalid_argument", "the arguments must be a JSON object")
