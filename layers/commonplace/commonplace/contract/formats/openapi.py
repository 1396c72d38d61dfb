"""OpenAPI 3.1: every route of the HTTP way in, on AWS and on this machine."""

from collections.abc import Sequence
from typing import Any

from commonplace.contract.formats.openapi_night import OF_BODIES, OF_HEADERS, night_paths, reference, responses, told
from commonplace.contract.manifest import Row, schema
from commonplace.domain.errors import ErrorCode
from commonplace.domain.imports import Imported, ImportRequest, ImportResult, StoreManyRequest, StoreManyResult, Turn
from commonplace.domain.interactions import ChatMessage
from commonplace.domain.requests import StoreRequest
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
    "description": "The end user a trusted backend speaks for: needed with IAM, refused for a token without the scope.",
    "schema": {"type": "string", "minLength": 1},
}
_TIMEZONE = {
    "name": "X-Commonplace-Timezone",
    "in": "header",
    "description": "IANA name of the user's time zone; UTC when left out. A local server goes by its own zone.",
    "schema": {"type": "string", "examples": ["Europe/Berlin"]},
}
_EXPORT_ID = {
    "name": "export_id", "in": "path", "required": True, "schema": {"type": "string"},
    "description": "What `export_memories` answered.",
}  # fmt: skip
_OF_THE_GATEWAY = {"302", "401", "429"}  # statuses that only the API on AWS answers


def write(rows: Sequence[Row]) -> dict[str, Any]:
    """An OpenAPI document with a route per tool, the manifest, the import of conversations and the routes of the night."""
    posts = {f"/tools/{row['name']}": _tool(row) for row in rows}
    posts |= {"/memories": _store_many(), "/import": _import(), "/uploads": _upload()}
    headers = [reference("parameters/User"), reference("parameters/Timezone")]
    return {
        "openapi": "3.1.0",
        "info": {"title": "Commonplace", "version": "1", "description": "Long-term memory for AI agents."},
        "servers": _SERVERS,
        "security": [{"token": []}, {"iam": []}],
        "paths": {
            "/tools": {"get": _manifest()},
            "/exports/{export_id}": {"parameters": [*headers, _EXPORT_ID], "get": _export()},
            **{path: {"parameters": headers, "post": operation} for path, operation in posts.items()},
            **{path: {**item, "parameters": [*headers, *item["parameters"]]} for path, item in night_paths().items()},
        },
        "components": {
            "schemas": {"Error": _error()},
            "parameters": {"User": _USER, "Timezone": _TIMEZONE},
            "securitySchemes": {
                "token": {
                    "type": "http", "scheme": "bearer", "bearerFormat": "JWT",
                    "description": "A missing or expired one is refused by API Gateway itself: 401 with another body.",
                },
                "iam": {
                    "type": "apiKey", "in": "header", "name": "Authorization",
                    "description": "AWS Signature Version 4, where the stack was deployed with `AuthMode` iam.",
                },
            },
        },
    }  # fmt: skip


def write_local(rows: Sequence[Row], url: str) -> dict[str, Any]:
    """The OpenAPI document of the server at that base URL."""
    whole = write(rows)
    headers = {f"#/components/parameters/{name}" for name in whole["components"]["parameters"]}
    paths = {path: _local_path(item, headers) for path, item in whole["paths"].items()}
    return {
        "openapi": whole["openapi"],
        "info": whole["info"],
        "servers": [{"url": url, "description": "This machine only, no token."}],
        "paths": {**{path: _local_path({"get": get}, headers) for path, get in _own().items()}, **paths},
        "components": {"schemas": whole["components"]["schemas"]},
    }


def _tool(row: Row) -> dict[str, Any]:
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
        "responses": responses(row["output_schema"], {*own, *told(OF_BODIES)}),
    }


def _manifest() -> dict[str, Any]:
    answer = {
        "type": "object",
        "required": ["name", "version", "tools"],
        "properties": {
            "name": {"const": "commonplace"},
            "version": {"type": "integer"},
            "tools": {"type": "array", "items": {"type": "object", "required": ["name", "input_schema", "output_schema"]}},
        },
    }
    return {"operationId": "list_tools", "summary": "The manifest of all tools", "responses": responses(answer, set())}


def _store_many() -> dict[str, Any]:
    body: dict[str, Any] = schema(StoreManyRequest, "validation")
    body["properties"]["memories"]["items"] = schema(StoreRequest, "validation")
    return {
        "operationId": "store_memories",
        "summary": "Store up to 100 statements, each with its own answer",
        "description": "One that is refused stops no other; the same call again stores nothing twice.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": responses(schema(StoreManyResult, "serialization"), set(told(OF_BODIES))),
    }


def _import() -> dict[str, Any]:
    body: dict[str, Any] = schema(ImportRequest, "validation")
    message = schema(ChatMessage, "validation")
    body["properties"]["messages"]["items"] = message
    body["properties"]["turns"]["items"] = {"anyOf": [schema(Turn, "validation"), message]}
    answers = {"anyOf": [schema(Imported, "serialization"), schema(ImportResult, "serialization")]}
    return {
        "operationId": "import_turns",
        "summary": "Read a conversation, or store a transcript turn by turn",
        "description": "Of `messages` only the user's own words become memories: a plan is answered, and `apply` stores it. "
        "`turns` with `keep` is the form for transcripts: each turn is stored at once, whoever said it; one that can't be is "
        "told in `left_out`, with its index.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
        "responses": responses(answers, set(told(OF_BODIES))),
    }


def _export() -> dict[str, Any]:
    text = {"schema": {"type": "string"}}
    found = responses({}, set(told([ErrorCode.NOT_FOUND, *OF_HEADERS])))
    location = {"Location": {"schema": {"type": "string", "format": "uri"}, "description": "Holds for 60 seconds."}}
    found["200"] = {"description": "The file, on one machine.", "content": {media: text for media, _ in MEDIA.values()}}
    found["302"] = {"description": "Where the file is, on AWS.", "headers": location}
    return {"operationId": "fetch_export", "summary": "The file of an export", "responses": dict(sorted(found.items()))}


def _upload() -> dict[str, Any]:
    any_bytes = {"schema": {"type": "string", "contentMediaType": "application/octet-stream"}}
    return {
        "operationId": "upload_file",
        "summary": "Keep a file for one import_memories, for an hour",
        "description": "Up to 50 MB on one machine, and up to 4 MB on AWS; 200 MB of all the uploads of a user.",
        "requestBody": {"required": True, "content": {"application/octet-stream": any_bytes}},
        "responses": responses(schema(UploadResult, "serialization"), set(told(OF_HEADERS))),
    }


def _error() -> dict[str, Any]:
    fields = {
        "code": {"enum": [code.label for code in ErrorCode]},
        "message": {"type": "string", "description": "For the one who calls: it names the field and never quotes a secret."},
        "field": {"type": ["string", "null"], "description": "The dotted path of the argument at fault, if one is."},
        "retryable": {"type": "boolean", "description": "Whether the same call may succeed later."},
    }
    inner = {"type": "object", "additionalProperties": False, "required": list(fields), "properties": fields}
    return {"type": "object", "additionalProperties": False, "required": ["error"], "properties": {"error": inner}}


def _local_path(item: dict[str, Any], headers: set[str]) -> dict[str, Any]:
    """A path without the headers that name the user and the zone: those are the server's own."""
    found: dict[str, Any] = {method: _local_operation(item[method]) for method in ("get", "post") if method in item}
    parameters = [one for one in item.get("parameters", ()) if one.get("$ref") not in headers]
    return {"parameters": parameters, **found} if parameters else found


def _local_operation(operation: dict[str, Any]) -> dict[str, Any]:
    answers = {status: answer for status, answer in operation["responses"].items() if status not in _OF_THE_GATEWAY}
    return {**operation, "responses": answers}


def _own() -> dict[str, Any]:
    """The routes that only this server has."""
    text, count = {"type": "string"}, {"type": "integer", "minimum": 0}
    link = {"type": "string", "format": "uri"}
    server = {"name": text, "version": text, "description": text, "openapi": link, "tools": link, "health": link}
    return {
        "/": _get("show_server", "What this server is, and where its documents are", server),
        "/openapi.json": _get("show_openapi", "This document", {"openapi": text, "paths": {"type": "object"}}),
        "/health": _get(
            "show_health", "Whether the memories can be read", {"status": text, "version": text, "total_memories": count}
        ),
    }


def _get(name: str, summary: str, properties: dict[str, Any]) -> dict[str, Any]:
    answer = {"type": "object", "required": list(properties), "properties": properties}
    return {"operationId": name, "summary": summary, "responses": responses(answer, set())}
