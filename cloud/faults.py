"""What can go wrong between us and a server, each as a plan for `FaultProxy`."""

import gzip
import json
import time
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from cloud.listener import Cut, Request, Response
from cloud.proxy import Fault, Forward

_JSON = {"Content-Type": "application/json"}


def status(code: int, body: object = None) -> Fault:
    """Answers with a status (429, 503) in the server's place; the server never sees the request."""

    def fault(_request: Request, _forward: Forward) -> Response:
        return Response(code, _JSON, json.dumps(body if body is not None else {"status": code, "error": "a fault"}).encode())

    return fault


def delay(seconds: float) -> Fault:
    """Hands the request on after a while."""

    def fault(request: Request, forward: Forward) -> Response:
        time.sleep(seconds)
        return forward(request)

    return fault


def cut_before(_request: Request, _forward: Forward) -> Response:
    """Ends the connection; the server never sees the request."""
    raise Cut


def cut_after(request: Request, forward: Forward) -> Response:
    """Ends the connection when the server has done the work: nobody learns what it answered."""
    forward(request)
    raise Cut


def cut_within(request: Request, forward: Forward) -> Response:
    """Ends the connection in the middle of the server's answer."""
    raise Cut(forward(request))


def dynamodb_error(name: str, message: str = "a fault", **more: object) -> Fault:
    """Answers as DynamoDB does for an exception, such as `ProvisionedThroughputExceededException`; `more` joins the body."""

    def fault(_request: Request, _forward: Forward) -> Response:
        body = {"__type": f"com.amazonaws.dynamodb.v20120810#{name}", "message": message, **more}
        return Response(400, {"Content-Type": "application/x-amz-json-1.0"}, json.dumps(body).encode())

    return fault


def is_bulk(request: Request) -> bool:
    """Whether a request is a `_bulk` of OpenSearch."""
    return request.path.partition("?")[0].endswith("/_bulk")


def half_rejected(request: Request, forward: Forward) -> Response:
    """Answers 429 for every second item of a bulk, the first among them; the server sees the others only."""
    items = list(_items(request))
    kept = b"".join(lines for place, (_, _, lines) in enumerate(items) if place % 2)
    headers = {name: value for name, value in request.headers.items() if name not in ("content-encoding", "accept-encoding")}
    told: dict[str, Any] = {"took": 0, "items": []}
    if kept:
        response = forward(replace(request, headers=headers, body=kept))
        if response.status != 200:
            return response
        told = json.loads(response.body)
    done = iter(told["items"])
    told["items"] = [next(done) if place % 2 else _rejected(action, about) for place, (action, about, _) in enumerate(items)]
    return Response(200, _JSON, json.dumps({**told, "errors": True}).encode())


def _items(request: Request) -> Iterator[tuple[str, dict[str, Any], bytes]]:
    """Each item of a bulk: what to do, its metadata, and its lines."""
    packed = request.headers.get("content-encoding") == "gzip"
    lines = iter((gzip.decompress(request.body) if packed else request.body).splitlines(keepends=True))
    for line in lines:
        ((action, about),) = json.loads(line).items()
        yield action, about, line if action == "delete" else line + next(lines)


def _rejected(action: str, about: dict[str, Any]) -> dict[str, Any]:
    error = {"type": "rejected_execution_exception", "reason": "a fault: rejected execution of coordinating operation"}
    return {action: {"_index": about.get("_index"), "_id": about.get("_id"), "status": 429, "error": error}}
