"""A CloudFormation custom resource: the work is done and its outcome put to the signed URL, so that no stack ever hangs."""

import json
import logging
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from commonplace.entrypoint import guarded
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.invocation.call import Body, Context, Event

_log = logging.getLogger("commonplace")
_ATTEMPTS, _SECONDS, _PAUSE = 4, 5.0, 0.5  # of telling CloudFormation; seconds
_LEFT = 25.0  # seconds to tell CloudFormation in, with every attempt
_LONGEST_REASON = 1_000  # characters; the whole answer has 4,096 bytes

Work = Callable[[Mapping[str, Any]], dict[str, Any]]


def settle(event: Event, context: Context, work: Work, put: Callable[[str, bytes], None] | None = None) -> Body:
    """Does the work for Create and Update, nothing for Delete, and tells CloudFormation.

    `work` is given the resource's properties and gives the attributes that the template may read. What it made stays
    when the resource is deleted: memories outlive a stack.
    """
    status, body = 200, dict[str, Any]()
    if event["RequestType"] != "Delete":
        status, body = _in_time(lambda: work(event.get("ResourceProperties") or {}), context)
    answer = {
        "Status": "SUCCESS" if status < 400 else "FAILED",
        "Reason": _reason(status, body, context),
        "PhysicalResourceId": event.get("PhysicalResourceId") or f"{event['StackId']}/{event['LogicalResourceId']}",
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "Data": body if status < 400 else {},
    }
    _tell(event["ResponseURL"], json.dumps(answer).encode(), put or _put)
    return answer


def _in_time(work: Callable[[], dict[str, Any]], context: Context) -> tuple[int, dict[str, Any]]:
    """What the work answers; when Lambda would end it first, that."""
    thread = ThreadPoolExecutor(1)
    try:
        return thread.submit(guarded, work).result(max(1.0, context.get_remaining_time_in_millis() / 1000 - _LEFT))
    except TimeoutError:
        error = CommonplaceError(ErrorCode.INTERNAL, "it took longer than this function may run")
        return error.code.status, error.body()
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _reason(status: int, body: Body, context: Context) -> str:
    if status < 400:
        return "done"
    return f"{body['error']['message'][:_LONGEST_REASON]} (request {context.aws_request_id})"


def _tell(url: str, text: bytes, put: Callable[[str, bytes], None]) -> None:
    """Puts it, again if need be: an answer that never comes holds the stack up for an hour."""
    for attempt in range(_ATTEMPTS):
        try:
            return put(url, text)
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            _log.warning("CloudFormation can't be told: %s", type(error).__name__)
            time.sleep(_PAUSE * 2**attempt)
    raise TimeoutError("CloudFormation could not be told")


def _put(url: str, text: bytes) -> None:
    """The URL is signed for an empty content type; urllib would send one of its own."""
    request = urllib.request.Request(url, text, {"Content-Type": ""}, method="PUT")
    with urllib.request.urlopen(request, timeout=_SECONDS):
        pass
