"""The routes of the night, of a memory by its name and of feedback, in OpenAPI; and what every route answers: its result,
and its errors by status."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from typing import Any

from commonplace.contract.manifest import flat, schema
from commonplace.domain.errors import ErrorCode
from commonplace.domain.feedback import FeedbackRequest, FeedbackResult, ForgetFeedbackRequest, ForgottenFeedback
from commonplace.domain.interactions import GIVEN, History, ListedRuns, RecordRequest, RecordResult, RunReport
from commonplace.domain.listing import GetResult
from commonplace.domain.runs import Run

_EVERYWHERE = (
    ErrorCode.UNAUTHORIZED, ErrorCode.FORBIDDEN, ErrorCode.INTERNAL, ErrorCode.STORAGE_UNAVAILABLE,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""What is too large may be the answer."""
OF_BODIES = (
    ErrorCode.INVALID_JSON, ErrorCode.INVALID_ARGUMENT, ErrorCode.UNKNOWN_FIELD, ErrorCode.MISSING_FIELD,
    ErrorCode.PAYLOAD_TOO_LARGE,
)  # fmt: skip
"""What a body may be refused for."""
OF_HEADERS = (ErrorCode.INVALID_ARGUMENT, ErrorCode.MISSING_FIELD)
"""What the headers that name the user and the zone may be refused for."""
_THROTTLED = {"description": "Too many requests: API Gateway's own answer; try again later."}

_OF_RUNS = {*OF_HEADERS, ErrorCode.NOT_FOUND}
_OF_CHANGES = {*_OF_RUNS, ErrorCode.CONFLICT, ErrorCode.LEASE_LOST}
_OF_FEEDBACK = {*OF_BODIES, ErrorCode.EMPTY_TEXT, ErrorCode.TEXT_TOO_LONG, ErrorCode.NOT_FOUND}
_RUN_ID = {
    "name": "run_id", "in": "path", "required": True, "schema": {"type": "string"}, "description": "The run's id, or `last`.",
}  # fmt: skip
_KEY = {
    "name": "key", "in": "path", "required": True, "schema": {"type": "string"},
    "description": "The key, any case, or the id of a memory.",
}  # fmt: skip
_MEMORY_ID = {
    "name": "memory_id", "in": "path", "required": True, "schema": {"type": "string"},
    "description": "The memory's id, its key, or an id that it had elsewhere.",
}  # fmt: skip
_LIMIT = {
    "name": "limit", "in": "query", "description": "The most runs to return.",
    "schema": {"type": "integer", "minimum": 1, "maximum": 100, "default": 20},
}  # fmt: skip
_REREAD = {
    "name": "reread", "in": "query", "description": "What the run read is pending again.", "schema": {"enum": ["1", "true"]},
}  # fmt: skip


def responses(answer: Mapping[str, Any], errors: set[tuple[int, str]]) -> dict[str, Any]:
    """The answer of a 200, and one entry for each status of the errors and of those that any route may have."""
    done = {"description": "The answer.", "content": {"application/json": {"schema": answer}}}
    known = failures({*errors, *told(_EVERYWHERE)})
    return {"200": done, **dict(sorted({"429": _THROTTLED, **known}.items()))}


def failures(errors: Iterable[tuple[int, str]]) -> dict[str, Any]:
    """One answer for each status of these errors."""
    return {
        str(status): {
            "description": ", ".join(label for _, label in group),
            "content": {"application/json": {"schema": reference("schemas/Error")}},
        }
        for status, group in groupby(sorted(errors), key=lambda error: error[0])
    }


def told(codes: Iterable[ErrorCode]) -> Iterator[tuple[int, str]]:
    """Status and name of each code."""
    return ((code.status, code.label) for code in codes)


def reference(place: str) -> dict[str, str]:
    """A reference to a component of the document."""
    return {"$ref": f"#/components/{place}"}


def night_paths() -> dict[str, dict[str, Any]]:
    """Each path with its operation and its parameters."""
    run = _of(Run)
    return {
        "/interactions": {"parameters": [], "post": _record()},
        "/runs": {"parameters": [_LIMIT], "get": _operation("list_runs", "The newest runs", _of(ListedRuns), {*OF_HEADERS})},
        "/runs/{run_id}": {
            "parameters": [_RUN_ID],
            "get": _operation("show_run", "A run with the words that it is about", _of(RunReport), _OF_RUNS),
        },
        "/runs/{run_id}/undo": {
            "parameters": [_RUN_ID, _REREAD],
            "post": _operation("undo_run", "Take a run back, as a run", run, _OF_CHANGES),
        },
        "/runs/{run_id}/approve": {
            "parameters": [_RUN_ID],
            "post": _operation("approve_run", "Do what waits for review", run, _OF_CHANGES),
        },
        "/runs/{run_id}/discard": {
            "parameters": [_RUN_ID],
            "post": _operation("discard_run", "Let go of what waits for review", run, _OF_CHANGES),
        },
        "/history/{key}": {
            "parameters": [_KEY],
            "get": _operation("show_history", "What a key has held", _of(History), {*_OF_RUNS, ErrorCode.KEY_NOT_FOUND}),
        },
        "/memories/{memory_id}": {
            "parameters": [_MEMORY_ID],
            "get": _operation("show_memory", "A memory as it is kept", _of(GetResult), {*_OF_RUNS, ErrorCode.KEY_NOT_FOUND}),
        },
        "/feedback": {"parameters": [], "post": _feedback()},
        "/feedback/forget": {"parameters": [], "post": _forget_feedback()},
    }


def _record() -> dict[str, Any]:
    body: dict[str, Any] = schema(RecordRequest, "validation")
    body["properties"]["interactions"]["items"] = flat(GIVEN.json_schema(), nullable=False)
    return {
        **_operation("record_interactions", "Record what a day left behind", _of(RecordResult), set(OF_BODIES)),
        "description": "A malformed interaction is told in `refused`, with its id and field, and the others are recorded; "
        "the only one of a call is a 400. Messages of other roles, and what is no text, are told in `skipped`.",
        "requestBody": {"required": True, "content": {"application/json": {"schema": body}}},
    }


def _feedback() -> dict[str, Any]:
    return {
        **_operation("record_feedback", "Tell whether a memory was useful for a query", _of(FeedbackResult), _OF_FEEDBACK),
        "tags": ["search"],
        "description": "Kept for 90 days. Queries like it find the memory a little sooner or later; the last word counts.",
        "requestBody": _body(FeedbackRequest),
    }


def _forget_feedback() -> dict[str, Any]:
    return {
        **_operation("forget_feedback", "Forget the feedback on a memory, or all", _of(ForgottenFeedback), _OF_FEEDBACK),
        "tags": ["search"],
        "requestBody": _body(ForgetFeedbackRequest),
    }


def _body(model: Any) -> dict[str, Any]:
    return {"required": True, "content": {"application/json": {"schema": schema(model, "validation")}}}


def _operation(name: str, summary: str, answer: dict[str, Any], errors: set[ErrorCode]) -> dict[str, Any]:
    return {
        "operationId": name,
        "summary": summary,
        "tags": ["night"],
        "responses": responses(answer, set(told(errors))),
    }


def _of(model: Any) -> dict[str, Any]:
    return dict(schema(model, "serialization"))
