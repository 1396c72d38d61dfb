"""Answers requests about nightly runs, single memories and feedback. All servers share these routes."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from commonplace.contract import validate
from commonplace.contract.sent import as_declared, read_flag
from commonplace.domain.analysis import FeedbackRequest, ForgetFeedbackRequest
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.interactions import RecordRequest
from commonplace.nightly.service import Nights
from commonplace.use_cases import dispatch
from commonplace.use_cases.feedback import forget_feedback, record_feedback
from commonplace.use_cases.named import naming

PATHS = (
    "POST /interactions, GET /runs, GET /runs/{id}, POST /runs/{id}/undo|approve|discard, GET /history/{key},"
    " GET /memories/{id}, POST /feedback and POST /feedback/forget"
)
Answer = dict[str, Any]
_NUMBER = re.compile(r"([0-9]{1,9})(\.0+)?")  # Python refuses to parse thousands of digits


def answer(method: str, path: str, query: Mapping[str, str], body: Callable[[], Mapping[str, Any]], nights: Nights) -> Answer:
    """Return the answer to a request as JSON values. `path` must be URL-decoded. `body` returns the body as a JSON object.

    Raises `NOT_FOUND` for an unknown path, and `METHOD_NOT_ALLOWED` if the path does not support the method.
    """
    match path.strip("/").split("/"):
        case ["interactions"]:
            _check_method(method, "POST")
            return _record_and_report(validate.check(RecordRequest, as_declared(RecordRequest, body())).interactions, nights)
        case ["runs"]:
            _check_method(method, "GET")
            return nights.listed(_parse_limit(query)).model_dump(mode="json")
        case ["runs", run_id]:
            _check_method(method, "GET")
            return nights.run_report(run_id).model_dump(mode="json")
        case ["runs", run_id, "undo" | "approve" | "discard" as verb]:
            _check_method(method, "POST")
            return _change_run(verb, run_id, query, nights)
        case ["history", key]:
            _check_method(method, "GET")
            return nights.history(key).model_dump(mode="json")
        case ["memories", *name] if name:  # an id from another system may contain a slash
            _check_method(method, "GET")
            caller, ports = nights.context.caller, nights.context.ports
            return dispatch.call("get_memory", naming("/".join(name), caller, ports), caller, ports).model_dump(mode="json")
        case ["feedback"]:
            _check_method(method, "POST")
            arguments = as_declared(FeedbackRequest, body())
            return record_feedback(arguments, nights.context.caller, nights.context.ports).model_dump(mode="json")
        case ["feedback", "forget"]:
            _check_method(method, "POST")
            arguments = as_declared(ForgetFeedbackRequest, body())
            return forget_feedback(arguments, nights.context.caller, nights.context.ports).model_dump(mode="json")
    raise CommonplaceError(ErrorCode.NOT_FOUND, f"there is nothing at this path; there are {PATHS}")


def _record_and_report(interactions: Sequence[Any], nights: Nights) -> Answer:
    """Record the interactions and return a report. If the only interaction is refused, raise `INVALID_ARGUMENT`."""
    done = nights.record(interactions)
    if len(interactions) == len(done.refused) == 1:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, done.refused[0].message, done.refused[0].field)
    return done.model_dump(mode="json")


def _change_run(verb: str, run_id: str, query: Mapping[str, str], nights: Nights) -> Answer:
    if verb == "undo":
        return nights.undo_run(run_id, reread=read_flag(query.get("reread") or "false", "reread")).model_dump(mode="json")
    run = nights.approve_run(run_id) if verb == "approve" else nights.discard_run(run_id)
    return run.model_dump(mode="json")


def _check_method(method: str, allowed: str) -> None:
    if method != allowed:
        raise CommonplaceError(ErrorCode.METHOD_NOT_ALLOWED, f"this path takes {allowed}; there are {PATHS}")


def _parse_limit(query: Mapping[str, str]) -> int:
    match = _NUMBER.fullmatch(query.get("limit") or "20")
    if match is None:
        raise invalid("limit", "must be a whole number of at most 9 digits")
    return int(match[1])
