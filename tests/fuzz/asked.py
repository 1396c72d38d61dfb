"""Requests that Schemathesis draws for the operations of an OpenAPI document, and what their answers owe."""

from collections.abc import Mapping
from typing import Any

import schemathesis
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import content_type_conformance, response_schema_conformance, status_code_conformance

from tests.fuzz.effort import COUNTS
from tests.fuzz.owed import check_error

_CHECKS = [not_a_server_error, status_code_conformance, content_type_conformance, response_schema_conformance]


def operations(document: Mapping[str, Any]) -> dict[str, Any]:
    """The operations of a document, each by its method and path."""
    schema = schemathesis.openapi.from_dict(dict(document))
    found: list[Any] = [each.ok() for each in schema.get_all_operations() if isinstance(each, Ok)]
    return {f"{operation.method.upper()} {operation.path}": operation for operation in found}


def ask(operation: Any, url: str, what: str, data: st.DataObject, headers: Mapping[str, str] | None = None) -> Any:
    """Sends one request, which its schema allows or not, counts it, checks the answer against the document, and gives it."""
    mode = data.draw(st.sampled_from([GenerationMode.POSITIVE, GenerationMode.NEGATIVE]), label="mode")
    case = data.draw(operation.as_strategy(generation_mode=mode), label="request")
    answer = case.call(base_url=url, headers=headers)
    body = answer.json() if answer.content else {}
    COUNTS[what].add(body["error"]["code"] if "error" in body else None)
    case.validate_response(answer, checks=_CHECKS)
    if "error" in body:
        check_error(answer.status_code, body)
    return body


def stored(answer: Mapping[str, Any]) -> set[str]:
    """The ids of what an answer says is kept from now on."""
    if not answer.get("stored", answer.get("written", True)):
        return set()
    named = [answer.get("memory_id"), answer.get("id"), *answer.get("ids", ())]
    return {one for one in named if isinstance(one, str)}
