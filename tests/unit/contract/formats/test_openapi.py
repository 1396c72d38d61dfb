"""The OpenAPI document: valid, whole, and held against the tools and the local server's routes."""

import json
import re
from collections.abc import Iterator
from typing import Any

import jsonschema
import pytest
from openapi_spec_validator import OpenAPIV31SpecValidator
from openapi_spec_validator.validation.exceptions import OpenAPIValidationError

from clients.typescript import generate
from commonplace import Commonplace, CommonplaceError, ErrorCode
from commonplace.contract.formats import rendered
from commonplace.contract.formats.openapi import write_local
from commonplace.contract.manifest import rows
from commonplace.contract.registry import TOOLS
from commonplace.domain.imports import Turn
from commonplace.domain.interactions import ChatMessage
from commonplace.interfaces.aws import http_api, identity
from commonplace.interfaces.http.app import ROUTES
from tests.asgi import client_of

DOCUMENT: dict[str, Any] = rendered("openapi", rows())
LOCAL: dict[str, Any] = write_local(rows(), "http://127.0.0.1:8787")
OPERATIONS = [
    (path, method, item[method]) for path, item in DOCUMENT["paths"].items() for method in ("get", "post") if method in item
]


def body_of(part: Any) -> Any:
    return part["content"]["application/json"]


def takes_json(operation: Any) -> bool:
    return "application/json" in operation.get("requestBody", {}).get("content", {})


def test_it_is_valid() -> None:
    OpenAPIV31SpecValidator(DOCUMENT).validate()


def test_a_fault_would_be_seen() -> None:
    with pytest.raises(OpenAPIValidationError):
        OpenAPIV31SpecValidator({**DOCUMENT, "paths": {"/tools": {"get": {"responses": {"2": {}}}}}}).validate()


def test_it_has_every_route_of_the_tools() -> None:
    assert {(method.upper(), path) for path, method, _ in OPERATIONS} == set(http_api.ROUTES)
    assert len({operation["operationId"] for _, _, operation in OPERATIONS}) == len(OPERATIONS)


def test_the_local_server_describes_each_of_its_routes() -> None:
    served = {(route.path.replace("<path:", "<"), route.method.lower()) for route in ROUTES}
    described = {
        ("/tools/<name>" if path.startswith("/tools/") else re.sub(r"{(\w+)}", r"<\1>", path), method)
        for path, item in LOCAL["paths"].items()
        for method in item
        if method != "parameters"
    }
    assert served == described
    assert {path for path, _ in served} >= {"/", "/openapi.json", "/health"}


def test_the_local_document_is_valid_and_asks_for_no_token() -> None:
    OpenAPIV31SpecValidator(LOCAL).validate()
    assert set(DOCUMENT["paths"]) < set(LOCAL["paths"])
    assert LOCAL["servers"] == [{"url": "http://127.0.0.1:8787", "description": "This machine only, no token."}]
    text = json.dumps(LOCAL)
    assert "security" not in LOCAL
    of_aws = ("X-Commonplace", "parameters/User", '"429"', '"401"', '"302"', "API Gateway")
    assert not [word for word in of_aws if word in text]


def test_the_local_server_answers_as_its_document_says(memory: Commonplace) -> None:
    client = client_of(memory)
    for path in ("/", "/openapi.json", "/health"):
        answer = client.get(path).json()
        jsonschema.validate(answer, body_of(LOCAL["paths"][path]["get"]["responses"]["200"])["schema"])


def test_a_caller_shows_a_token_everywhere() -> None:
    assert DOCUMENT["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert {"token": []} in DOCUMENT["security"]
    assert not [path for path, _, operation in OPERATIONS if "security" in operation]


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=[path for path, _, _ in OPERATIONS])
def test_its_errors_are_told_by_status(path: str, method: str, operation: Any) -> None:
    told = {
        (int(status), label)
        for status, response in operation["responses"].items() if "content" in response and status != "200"
        for label in response["description"].split(", ")
    }  # fmt: skip
    assert told <= {(code.status, code.label) for code in ErrorCode}
    assert {(500, "internal"), (503, "storage_unavailable"), (401, "unauthorized"), (403, "forbidden")} <= told
    assert ((400, "invalid_json") in told) == takes_json(operation)
    for tool in TOOLS:
        if tool.route == path:
            assert {(code.status, code.label) for code in tool.errors} <= told
    assert "429" in operation["responses"]


@pytest.mark.parametrize("path", [path for path, item in DOCUMENT["paths"].items() if "parameters" in item])
def test_a_header_that_is_refused_is_told(path: str) -> None:
    """A zone of no such name, and for a backend no user."""
    item = DOCUMENT["paths"][path]
    assert {one["$ref"].rpartition("/")[2] for one in item["parameters"] if "$ref" in one} == {"User", "Timezone"}
    told = (item.get("get") or item["post"])["responses"]["400"]["description"].split(", ")
    assert {"invalid_argument", "missing_field"} <= set(told)


@pytest.mark.parametrize("code", list(ErrorCode))
def test_every_error_fits_its_schema(code: ErrorCode) -> None:
    schema = DOCUMENT["components"]["schemas"]["Error"]
    for field in (None, "options.limit"):
        jsonschema.Draft202012Validator(schema).validate(CommonplaceError(code, "so it is", field).body())


@pytest.mark.parametrize(("path", "method", "operation"), OPERATIONS, ids=[path for path, _, _ in OPERATIONS])
def test_its_examples_fit(path: str, method: str, operation: Any) -> None:
    for content in [body_of(operation["requestBody"])] if takes_json(operation) else []:
        for example in content.get("examples", {}).values():
            jsonschema.Draft202012Validator(content["schema"]).validate(example["value"])


def test_an_answer_of_the_server_fits(memory: Commonplace) -> None:
    client = client_of(memory)
    asked = {"store_memory": {"content": "Mia is allergic to peanuts."}, "search_memory": {"query": "allergic?"}}
    for path, body in {"/memories": {"memories": [{"content": "I keep bees."}, {"content": "Bees.", "context": {}}]},
                       "/import": {"turns": [{"session_id": "s", "position": 1, "speaker": "ana", "text": "I like tea."}]},
                       **{f"/tools/{tool}": arguments for tool, arguments in asked.items()}}.items():  # fmt: skip
        operation = DOCUMENT["paths"][path]["post"]
        jsonschema.Draft202012Validator(body_of(operation["requestBody"])["schema"]).validate(body)
        answer = client.post(path, json=body)
        assert answer.status_code == 200
        jsonschema.Draft202012Validator(body_of(operation["responses"]["200"])["schema"]).validate(answer.json())
    listed = client.get("/tools").json()
    jsonschema.Draft202012Validator(body_of(DOCUMENT["paths"]["/tools"]["get"]["responses"]["200"])["schema"]).validate(
        listed
    )


def test_turns_are_described() -> None:
    turns = body_of(DOCUMENT["paths"]["/import"]["post"]["requestBody"])["schema"]["properties"]["turns"]
    turn, message = turns["items"]["anyOf"]
    assert set(turn["properties"]) == set(Turn.model_fields)
    assert set(message["properties"]) == set(ChatMessage.model_fields)
    text, parts = message["properties"]["content"]["anyOf"]
    assert (text["type"], set(parts["items"]["properties"])) == ("string", {"type", "text"})


def test_the_headers_are_those_that_are_read() -> None:
    names = {header["name"] for header in DOCUMENT["components"]["parameters"].values()}
    assert names == {identity.USER, identity.TIMEZONE}


def test_an_answer_of_the_night_fits(memory: Commonplace) -> None:
    client = client_of(memory)
    wish = {"type": "explicit", "id": "1", "time": "2026-05-20T10:00:00Z", "text": "Remember that I'm allergic to nuts."}
    body = {"interactions": [wish]}
    operation = DOCUMENT["paths"]["/interactions"]["post"]
    jsonschema.Draft202012Validator(body_of(operation["requestBody"])["schema"]).validate(body)
    answers = {("/interactions", "post"): client.post("/interactions", json=body)}
    run = memory.nightly()
    answers["/runs", "get"] = client.get("/runs")
    answers["/runs/{run_id}", "get"] = client.get(f"/runs/{run.run_id}")
    answers["/runs/{run_id}/undo", "post"] = client.post("/runs/last/undo")
    memory.write_memory("role", "The user is a nurse.", "personal_context", "durable")
    answers["/history/{key}", "get"] = client.get("/history/role")
    for (path, method), answer in answers.items():
        assert answer.status_code == 200, answer.text
        described = body_of(DOCUMENT["paths"][path][method]["responses"]["200"])["schema"]
        jsonschema.Draft202012Validator(described).validate(answer.json())


def references(node: Any) -> Iterator[str]:
    """Whatever points to another place of a document."""
    for part in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        if isinstance(part, str) and part.startswith("#/"):
            yield part
        yield from references(part)


@pytest.mark.parametrize("document", [DOCUMENT, LOCAL], ids=["aws", "local"])
def test_no_reference_leads_to_nowhere(document: dict[str, Any]) -> None:
    for reference in set(references(document)):
        found: Any = document
        for part in reference.removeprefix("#/").split("/"):
            assert part in found, reference
            found = found[part]


def test_the_typescript_types_were_generated_from_this_document() -> None:
    assert generate.SCHEMA.read_text("utf-8").startswith(generate.first_line()), "run python -m clients.typescript.generate"
