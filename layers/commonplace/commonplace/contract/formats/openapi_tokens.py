"""OpenAPI 3.1: the routes of a server for several users, which asks each for a token."""

from collections.abc import Sequence
from typing import Any

from commonplace.contract.formats.openapi import write_local
from commonplace.contract.formats.openapi_night import failures
from commonplace.contract.manifest import Row
from commonplace.domain.errors import ErrorCode

_SCHEME = {"type": "http", "scheme": "bearer", "description": "What `commonplace token add` showed."}
_REFUSED = (ErrorCode.UNAUTHORIZED, ErrorCode.TOO_MANY_REQUESTS)
_HEADERS = {
    ErrorCode.UNAUTHORIZED: ("WWW-Authenticate", "What is sent instead.", {"type": "string"}),
    ErrorCode.TOO_MANY_REQUESTS: (
        "Retry-After",
        "Seconds to wait before asking again.",
        {"type": "integer", "minimum": 1},
    ),
}


def write_with_tokens(rows: Sequence[Row], url: str) -> dict[str, Any]:
    """The OpenAPI document of the server at that base URL: on each route who has no token, or asks too often, is refused."""
    whole = write_local(rows, url)
    refused = failures((code.status, code.label) for code in _REFUSED)
    for code, (name, description, schema) in _HEADERS.items():
        refused[str(code.status)]["headers"] = {name: {"description": description, "schema": schema}}
    return {
        **whole,
        "servers": [{"url": url, "description": "By a token."}],
        "paths": {path: _with(item, refused) for path, item in whole["paths"].items()},
        "components": {**whole["components"], "securitySchemes": {"token": _SCHEME}},
        "security": [{"token": []}],
    }


def _with(item: dict[str, Any], refused: dict[str, Any]) -> dict[str, Any]:
    """A path, of which each operation has these answers besides."""
    return {
        name: one if name == "parameters" else {**one, "responses": dict(sorted({**one["responses"], **refused}.items()))}
        for name, one in item.items()
    }
