"""Describes every route of the HTTP interface on AWS and locally, with its results and errors, in OpenAPI 3.1.

It also describes the routes of a server for several users, which requires tokens.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from commonplace.contract.manifest import Row, flat, schema
from commonplace.domain.analysis import FeedbackRequest, FeedbackResult, ForgetFeedbackRequest, ForgottenFeedback
from commonplace.domain.errors import ErrorCode
from commonplace.domain.imports import Imported, ImportRequest, ImportResult, StoreManyRequest, StoreManyResult, Turn
from commonplace.domain.interactions import SENT, ChatMessage, History, ListedRuns, RecordRequest, RecordResult, RunReport
from commonplace.domain.requests import StoreRequest
from commonplace.domain.runs import Run
from commonplace.domain.storage import GetResult
from commonplace.domain.transfer import MEDIA, UploadResult

_SERVERS = [
    {
        "url": "https://{api}.execute-api.{region}.amazonaws.com",
        "description": "The HTTP API of the stack.",
        "variables": {"api": {"default": "abcdefghij"}, "region": {"default": "eu-central-1"}},
    },
    {"url": "http://127.0.0.1:8787", "description": "`commonplace serve`: this machine only, no token."},
]
_USER = {
    "name": "X-Commonplace-User",
    "in": "header",
    "description": "The end user for whom a trusted backend calls: required with IAM, refused for a token without the scope.",
    "schema": {"type": "string", "minLength": 1},
}
_TIMEZONE = {
    "name": "X-Commonplace-Timezone",
    "in": "header",
    "description": "IANA name of the user's time zone; UTC when left out. A local server uses its own time zone.",
    "schema": {"type": "string", "examples": ["Europe/Berlin"]},
}
_OF_THE_GATEWAY = {"302", "401", "429"}  # statuses that only the API on AWS returns


def _path_parameter(name: str, description: str) -> dict[str, Any]:
    return {"name": name, "in": "path", "required": True, "schema": {"type": "string"}, "description": description}


_EXPORT_ID = _path_parameter("export_id", "The `export_id` that `export_memories` returned.")


def write(rows: Sequence[Row]) -> dict[str, Any]:
    """Return an OpenAPI document with the routes for tools, the manifest, imports, exports, nightly runs and feedback."""
    posts = {f"/tools/{row['name']}": _build_tool(row) for row in rows}
    posts |= {"/memories": _build_store_many(), "/import": _build_import(), "/uploads": _build_upload()}
    headers = [reference("parameters/User"), reference("parameters/Timezone")]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Commonplace", "version": "1", "description": "Long-term memory for AI agents."},
        "servers": _SERVERS,
        "security": [{"token": []}, {"iam": []}],
        "paths": {
            "/tools": {"get": _build_manifest()},
            "/exports/{export_id}": {"parameters": [*headers, _EXPORT_ID], "get": _build_export()},
            **{path: {"parameters": headers, "post": operation} for path, operation in posts.items()},
            **{path: {**item, "parameters": [*headers, *item["parameters"]]} for path, item in night_paths().items()},
        },
        "components": {
            "schemas": {"Error": _build_error()},
            "parameters": {"User": _USER, "Timezone": _TIMEZONE},
            "securitySchemes": {
                "token": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "API Gateway itself refuses a missing or expired token: 401 with a different body.",
                },
                "iam": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "AWS Signature Version 4, if the stack was deployed with `AuthMode` iam.",
                },
            },
        },
    }  # fmt: skip


def write_local(rows: Sequence[Row], url: str) -> dict[str, Any]:
    """Return the OpenAPI document for the local server at a base URL."""
    whole = write(rows)
    headers = {f"#/components/parameters/{name}" for name in whole["components"]["parameters"]}
    paths = {path: _localize_path(item, headers) for path, item in whole["paths"].items()}
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": [{"url": url, "description": "This machine only, no token."}],
        "paths": {**{path: _localize_path({"get": get}, headers) for path, get in _build_own_paths().items()}, **paths},
        "components": {"schemas": whole["components"]["schemas"]},
    }


def _build_tool(row: Row) -> dict[str, Any]:
    examples = {f"{row['name']}_{number}": {"value": value} for number, value in enumerate(row["examples"], 1)}
    own = ((error["status"], error["code"]) for error in row["errors"])
    return {
        "operationId": row["name"],
        "summary": row["title"],
        "description": row["description"],
        "tags": [row["tier"]],
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": row["input_schema"], "examples": examples}},
        },
        "responses": responses(row["output_schema"], {*own, *statuses(OF_BODIES)}),
    }


def _build_manifest() -> dict[str, Any]:
    tool = {"type": "object", "required": ["name", "input_schema", "output_schema"]}
    tools = {"type": "array", "items": tool}
    properties = {"name": {"const": "commonplace"}, "version": {"type": "integer"}, "tools": tools}
    return _build_get("list_tools", "The manifest of all tools", properties)


def _build_store_many() -> dict[str, Any]:
    body: dict[str, Any] = schema(StoreManyRequest, "validation")
    body["properties"]["memories"]["items"] = schema(StoreRequest, "validation")
    return {
        "operationId": "store_memories",
        "summary": "Store up to 100 statements, each with its own result",
        "description": "A refused statement does not stop the others. Repeating the call stores nothing twice.",
        "requestBody": _build_body(body),
        "responses": responses(schema(StoreManyResult, "serialization"), set(statuses(OF_BODIES))),
    }


def _build_import() -> dict[str, Any]:
    """Return the OpenAPI operation of POST /import (conversations and transcripts), with its results and errors."""
    body: dict[str, Any] = schema(ImportRequest, "validation")
    message = schema(ChatMessage, "validation")
    body["properties"]["messages"]["items"] = message
    body["properties"]["turns"]["items"] = {"anyOf": [schema(Turn, "validation"), message]}
    answers = {"anyOf": [schema(Imported, "serialization"), schema(ImportResult, "serialization")]}
    return {
        "operationId": "import_turns",
        "summary": "Import a conversation, or store a transcript turn by turn",
        "description": "From `messages`, only the user's own words become memories: the answer is a plan, and `apply` "
        "stores it. `turns` with `keep` is for transcripts: each turn is stored at once, no matter who spoke; turns that "
        "can't be stored are listed in `left_out`, with their index.",
        "requestBody": _build_body(body),
        "responses": responses(answers, set(statuses(OF_BODIES))),
    }


def _build_export() -> dict[str, Any]:
    text = {"schema": {"type": "string"}}
    by_status = responses({}, set(statuses([ErrorCode.NOT_FOUND, *OF_HEADERS])))
    location = {"Location": {"schema": {"type": "string", "format": "uri"}, "description": "Valid for 60 seconds."}}
    by_status["200"] = {"description": "The file, on one machine.", "content": {media: text for media, _ in MEDIA.values()}}
    by_status["302"] = {"description": "The address of the file, on AWS.", "headers": location}
    return {"operationId": "fetch_export", "summary": "The file of an export", "responses": dict(sorted(by_status.items()))}


def _build_upload() -> dict[str, Any]:
    any_bytes = {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
    return {
        "operationId": "upload_file",
        "summary": "Upload a file for import_memories",
        "description": "For one import, within an hour. Up to 50 MB on one machine, 4 MB on AWS; 200 MB for all of a user.",
        "requestBody": {"required": True, "content": {"application/octet-stream": any_bytes}},
        "responses": responses(schema(UploadResult, "serialization"), set(statuses(OF_HEADERS))),
    }


def _build_error() -> dict[str, Any]:
    fields = {
        "code": {"enum": [code.label for code in ErrorCode]},
        "message": {"type": "string", "description": "For the caller: it names the field and never quotes a secret."},
        "field": {"type": ["string", "null"], "description": "The dotted path of the wrong argument, if any."},
        "retryable": {"type": "boolean", "description": "Whether the same call may succeed later."},
    }
    inner = {"type": "object", "additionalProperties": False, "required": list(fields), "properties": fields}
    return {"type": "object", "additionalProperties": False, "required": ["error"], "properties": {"error": inner}}


def _localize_path(item: dict[str, Any], headers: set[str]) -> dict[str, Any]:
    """Adapt a path to the local server by removing `headers` and the statuses that only API Gateway returns."""
    operations: dict[str, Any] = {}
    for method, operation in item.items():
        if method != "parameters":
            answers = {status: body for status, body in operation["responses"].items() if status not in _OF_THE_GATEWAY}
            operations[method] = {**operation, "responses": answers}
    parameters = [parameter for parameter in item.get("parameters", ()) if parameter.get("$ref") not in headers]
    return {"parameters": parameters, **operations} if parameters else operations


def _build_own_paths() -> dict[str, Any]:
    """Return the paths that only the local server has."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    link = {"type": "string", "format": "uri"}
    server = {"name": text, "version": text, "description": text, "openapi": link, "tools": link, "health": link}
    return {
        "/": _build_get("show_server", "Name, version and links of this server", server),
        "/openapi.json": _build_get("show_openapi", "This document", {"openapi": text, "paths": {"type": "object"}}),
        "/health": _build_get(
            "show_health", "Whether the memories can be read", {"status": text, "version": text, "total_memories": count}
        ),
    }


def _build_get(name: str, summary: str, properties: dict[str, Any]) -> dict[str, Any]:
    answer = {"type": "object", "required": list(properties), "properties": properties}
    return {"operationId": name, "summary": summary, "responses": responses(answer, set())}


_EVERYWHERE = (
    ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INTERNAL, ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""The errors that any route may return. For example, the request or the answer may be too large on any route."""
OF_BODIES = (
    ErrorCode.INVALID_JSON, ErrorCode.INVALID_ARGUMENT, ErrorCode.UNKNOWN_FIELD, ErrorCode.MISSING_FIELD,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""The errors that an invalid request body may cause."""
OF_HEADERS = (ErrorCode.INVALID_ARGUMENT, ErrorCode.MISSING_FIELD)
"""The errors that invalid headers for the user and the time zone may cause."""
_THROTTLED = {"description": "Too many requests: sent by API Gateway itself; try again later."}
_OF_RUNS = {*OF_HEADERS, ErrorCode.NOT_FOUND}
_OF_CHANGES = {*_OF_RUNS, ErrorCode.CONFLICT, ErrorCode.LEASE_LOST}
_OF_FEEDBACK = {*OF_BODIES, ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG, ErrorCode.NOT_FOUND}
_RUN_ID = _path_parameter("run_id", "The run's id, or `last`.")
_KEY = _path_parameter("key", "The key, any case, or the id of a memory.")
_MEMORY_ID = _path_parameter("memory_id", "The memory's id, its key, or an id that it had elsewhere.")
_LIMIT = {
    "name": "limit", "in": "query", "description": "The most runs to return.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
}  # fmt: skip
_REREAD = {
    "name": "reread", "in": "query", "description": "Whether the interactions that the run read become pending again.",
    "schema": {"enum": ["true", "false"]},
}  # fmt: skip


def responses(answer: Mapping[str, Any], errors: set[tuple[int, str]]) -> dict[str, Any]:
    """Return the response for status 200 and one for each error status, including the errors that any route may return."""
    success = {"description": "The answer.", "content": {"application/json": {"schema": answer}}}
    known = failures({*errors, *statuses(_EVERYWHERE)})
    return {"200": success, **dict(sorted({"429": _THROTTLED, **known}.items()))}


def failures(errors: Iterable[tuple[int, str]]) -> dict[str, Any]:
    """Group pairs of status and error label into one error response per status."""
    return {
        str(status): {
            "description": ", ".join(label for _, label in group),
            "content": {"application/json": {"schema": reference("schemas/Error")}},
        }
        for status, group in groupby(sorted(errors), key=lambda error: error[0])
    }


def statuses(codes: Iterable[ErrorCode]) -> Iterator[tuple[int, str]]:
    """Yield the status and the label of each error code."""
    return ((code.status, code.label) for code in codes)


def reference(place: str) -> dict[str, str]:
    """Return a reference to a component of the OpenAPI document."""
    return {"$ref": f"#/components/{place}"}


def night_paths() -> dict[str, dict[str, Any]]:
    """Return each path for nightly runs with its operation and parameters."""
    return {
        "/interactions": {"parameters": [], "post": _build_record()},
        "/runs": {"parameters": [_LIMIT], "get": _build_endpoint("list_runs", "The newest runs", ListedRuns, {*OF_HEADERS})},
        "/runs/{run_id}": {
            "parameters": [_RUN_ID],
            "get": _build_endpoint("show_run", "A run with the texts of its changes", RunReport, _OF_RUNS),
        },
        "/runs/{run_id}/undo": {
            "parameters": [_RUN_ID, _REREAD],
            "post": _build_endpoint("undo_run", "Undo a run; the undo is a run itself", Run, _OF_CHANGES),
        },
        "/runs/{run_id}/approve": {
            "parameters": [_RUN_ID],
            "post": _build_endpoint("approve_run", "Apply the changes that wait for review", Run, _OF_CHANGES),
        },
        "/runs/{run_id}/discard": {
            "parameters": [_RUN_ID],
            "post": _build_endpoint("discard_run", "Discard the changes that wait for review", Run, _OF_CHANGES),
        },
        "/history/{key}": {
            "parameters": [_KEY],
            "get": _build_endpoint("show_history", "The history of a memory", History, {*_OF_RUNS, ErrorCode.KEY_NOT_FOUND}),
        },
        "/memories/{memory_id}": {
            "parameters": [_MEMORY_ID],
            "get": _build_endpoint("show_memory", "One memory", GetResult, {*_OF_RUNS, ErrorCode.KEY_NOT_FOUND}),
        },
        "/feedback": {"parameters": [], "post": _build_feedback()},
        "/feedback/forget": {"parameters": [], "post": _build_forget_feedback()},
    }


def _build_record() -> dict[str, Any]:
    body: dict[str, Any] = schema(RecordRequest, "validation")
    body["properties"]["interactions"]["items"] = flat(SENT.json_schema(), nullable=False)
    return {
        **_build_endpoint("record_interactions", "Record the interactions of a day", RecordResult, set(OF_BODIES)),
        "description": "A malformed interaction is listed in `refused`, with its id and field, and the others are "
        "recorded; if it is the only one of the call, the answer is a 400. Messages of other roles and parts without "
        "text are listed in `skipped`. For a known conversation the new messages are recorded, and changed messages are "
        "listed in `conflicts`.",
        "requestBody": _build_body(body),
    }


def _build_feedback() -> dict[str, Any]:
    return {
        **_build_endpoint("record_feedback", "Record whether a memory was useful for a query", FeedbackResult, _OF_FEEDBACK),
        "tags": ["search"],
        "description": "Stored for 90 days. Similar queries rank the memory a little higher or lower; the latest feedback "
        "counts.",
        "requestBody": _build_body(schema(FeedbackRequest, "validation")),
    }


def _build_forget_feedback() -> dict[str, Any]:
    return {
        **_build_endpoint("forget_feedback", "Delete feedback on a memory, or all feedback", ForgottenFeedback, _OF_FEEDBACK),
        "tags": ["search"],
        "requestBody": _build_body(schema(ForgetFeedbackRequest, "validation")),
    }


def _build_body(body: Mapping[str, Any]) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": body}}}


def _build_endpoint(name: str, summary: str, answer: Any, errors: set[ErrorCode]) -> dict[str, Any]:
    by_status = responses(schema(answer, "serialization"), set(statuses(errors)))
    return {"operationId": name, "summary": summary, "tags": ["night"], "responses": by_status}


_SCHEME = {"type": "http", "scheme": "bearer", "description": "The token that `commonplace token add` printed."}
_HEADERS = {
    ErrorCode.UNAUTHORIZED: ("WWW-Authenticate", "The required authentication scheme.", {"type": "string"}),
    ErrorCode.TOO_MANY_REQUESTS: ("Retry-After", "Seconds to wait.", {"type": "integer", "minimum": 1}),
}


def write_with_tokens(rows: Sequence[Row], url: str) -> dict[str, Any]:
    """Return the OpenAPI document for a server with tokens. Any route may refuse a missing token or too many requests."""
    whole = write_local(rows, url)
    refused = failures(statuses(_HEADERS))
    for code, (name, description, of_value) in _HEADERS.items():
        refused[str(code.status)]["headers"] = {name: {"description": description, "schema": of_value}}
    return {
        **whole,
        "servers": [{"url": url, "description": "Requires a token."}],
        "paths": {path: _add_refusals(item, refused) for path, item in whole["paths"].items()},
        "components": {**whole["components"], "securitySchemes": {"token": _SCHEME}},
        "security": [{"token": []}],
    }


def _add_refusals(item: dict[str, Any], refused: dict[str, Any]) -> dict[str, Any]:
    return {
        name: step if name == "parameters" else {**step, "responses": dict(sorted({**step["responses"], **refused}.items()))}
        for name, step in item.items()
    }
