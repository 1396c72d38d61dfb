"""Lambda functions for the index. `index` reads the stream, `reconcile` runs on a schedule, and `setup` creates the index."""

import json
import logging
import time
import urllib.request
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from datetime import UTC, datetime, timedelta
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.indexing.stream import Projector, project_batch, set_aside
from commonplace.indexing.stream import reconcile as index_again
from commonplace.interfaces.aws import container
from commonplace.interfaces.aws.call import Body, Context, Event
from commonplace.interfaces.aws.observability import log_keys, measured
from commonplace.ports.usage import UsageLog
from commonplace.ports.values import DeadLetter, IndexChange, IndexOutcome, IndexUnavailable, Tombstone
from commonplace.use_cases.dispatch import status_and_body

_log = logging.getLogger("commonplace")
_ATTEMPTS, _SECONDS, _PAUSE = 4, 5.0, 0.5  # attempts to report to CloudFormation, with timeout and pause in seconds
_LEFT = 25.0  # seconds reserved for reporting to CloudFormation, with retries
_LONGEST_REASON = 1_000  # characters, because the whole answer is limited to 4,096 bytes
Work = Callable[[Mapping[str, Any]], dict[str, Any]]
_TOO_LONG = timedelta(minutes=10)  # by then the index function should have indexed the write
_TO_FOLD = timedelta(minutes=1)
_TO_END = 10_000  # milliseconds


def settle(event: Event, context: Context, work: Work, put: Callable[[str, bytes], None] | None = None) -> Body:
    """Call `work` for Create and Update, but not for Delete, and report to CloudFormation.

    `work` maps the resource's properties to attributes for the template. Deleting the resource deletes nothing.
    """
    status, body = 200, dict[str, Any]()
    if event["RequestType"] != "Delete":
        status, body = _run_within_time(lambda: work(event.get("ResourceProperties") or {}), context)
    reason = "done"
    if status >= 400:
        reason = f"{body['error']['message'][:_LONGEST_REASON]} (request {context.aws_request_id})"
    answer = {
        "Status": "SUCCESS" if status < 400 else "FAILED",
        "Reason": reason,
        "PhysicalResourceId": event.get("PhysicalResourceId") or f"{event['StackId']}/{event['LogicalResourceId']}",
        "StackId": event["StackId"],
        "RequestId": event["RequestId"],
        "LogicalResourceId": event["LogicalResourceId"],
        "Data": body if status < 400 else {},
    }
    _send_answer(event["ResponseURL"], json.dumps(answer).encode(), put or _put_body)
    return answer


def _run_within_time(work: Callable[[], dict[str, Any]], context: Context) -> tuple[int, dict[str, Any]]:
    """Return the status and answer of `work`, or an error if `work` takes longer than this invocation may run."""
    thread = ThreadPoolExecutor(1)
    try:
        result = thread.submit(copy_context().run, status_and_body, work)
        return result.result(max(1.0, context.get_remaining_time_in_millis() / 1000 - _LEFT))
    except TimeoutError:
        error = CommonplaceError(ErrorCode.INTERNAL, "it took longer than this function may run")
        return error.code.status, error.body()
    finally:
        thread.shutdown(wait=False, cancel_futures=True)


def _send_answer(url: str, text: bytes, put: Callable[[str, bytes], None]) -> None:
    """Send the answer to CloudFormation, with retries. Without an answer, the stack is blocked for an hour."""
    for attempt in range(_ATTEMPTS):
        try:
            return put(url, text)
        except (urllib.error.URLError, TimeoutError, ConnectionError) as error:
            _log.warning("CloudFormation can't be notified: %s", type(error).__name__)
            time.sleep(_PAUSE * 2**attempt)
    raise TimeoutError("CloudFormation could not be notified")


def _put_body(url: str, text: bytes) -> None:
    """Send the body with an empty content type, because the URL is signed for that type and urllib would add another."""
    request = urllib.request.Request(url, text, {"Content-Type": ""}, method="PUT")
    with urllib.request.urlopen(request, timeout=_SECONDS):
        pass


def index(event: dict[str, Any], context: Context) -> Body:
    """Write a batch of stream records to the index. Lambda retries from the first record listed in the answer."""

    def work() -> dict[str, Any]:
        upkeep = container.projector()
        taken = project_batch(list(upkeep.streamed(event)), upkeep)
        with measured("index") as metrics:
            metrics.add_metric("Indexed", MetricUnit.Count, taken.done)
            metrics.add_metric("SetAside", MetricUnit.Count, taken.set_aside)
            metrics.add_metric("TriedAgain", MetricUnit.Count, len(taken.to_retry))
            if taken.oldest is not None:
                metrics.add_metric("IndexLag", MetricUnit.Milliseconds, _milliseconds_since(taken.oldest))
        return {"again": taken.to_retry}

    container.begin(context.get_remaining_time_in_millis())
    with log_keys("index", None, context):
        status, body = status_and_body(work)
    every = [record["dynamodb"]["SequenceNumber"] for record in event["Records"]]
    retried = body["again"] if status < 400 else every[:1]  # a batch that failed as a whole is retried as a whole
    return {"batchItemFailures": [{"itemIdentifier": sequence} for sequence in retried]}


def reconcile(event: dict[str, Any], context: Context) -> Body:
    """Index the writes that have been pending for too long, and add recorded search hits to the memories' use counts."""

    def work() -> dict[str, Any]:
        upkeep, now = container.projector(), datetime.now(UTC)
        counts = index_again(now - _TOO_LONG, upkeep.writer, upkeep.pending, _make_report(upkeep), lambda: _has_time(context))
        oldest = upkeep.pending.oldest_pending()
        with measured("reconcile") as metrics:  # first, because an alarm needs it and the rest may take long
            metrics.add_metric("Reconciled", MetricUnit.Count, counts["done"])
            metrics.add_metric("SetAside", MetricUnit.Count, counts["failed"])
            age = 0.0 if oldest is None else _milliseconds_since(oldest)
            metrics.add_metric("PendingAge", MetricUnit.Milliseconds, age)
        users = _fold_usage(upkeep.usage, now - _TO_FOLD, context)
        with measured("reconcile") as metrics:
            metrics.add_metric("Folded", MetricUnit.Count, users)
        return {**counts, "folded": users}

    container.begin(context.get_remaining_time_in_millis())
    with log_keys("reconcile", event.get("id"), context):
        status, body = status_and_body(work)
    if status >= 400:
        raise RuntimeError(body["error"]["message"])  # so that the invocation fails and raises the alarm
    return body


def setup(event: dict[str, Any], context: Context) -> Body:
    """Create the index with its template and pipelines. Report to CloudFormation whether a reindex is needed."""

    def work(_properties: Mapping[str, Any]) -> dict[str, Any]:
        try:
            as_laid_out = container.projector().set_up()
        except IndexUnavailable as error:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be made: {error}") from error
        return {"ReindexNeeded": "false" if as_laid_out else "true"}

    container.begin(context.get_remaining_time_in_millis())
    with log_keys("setup", event.get("RequestId"), context):
        return settle(event, context, work)


def _fold_usage(usage: UsageLog, before: datetime, context: Context) -> int:
    """Add users' search hits to their memories' use counts until time runs out. Return how many users were processed."""
    users = 0
    for user_id in usage.unfolded(before):
        if not _has_time(context):
            break
        usage.fold(user_id)
        users += 1
    return users


def _has_time(context: Context) -> bool:
    return context.get_remaining_time_in_millis() >= _TO_END


def _make_report(projector: Projector) -> Callable[[IndexChange, IndexOutcome], None]:
    """Return a function that reports a change refused by the index, once per version. The change stays pending."""

    def aside(change: IndexChange, outcome: IndexOutcome) -> None:
        target = change if isinstance(change, Tombstone) else change.memory
        if projector.pending.mark_reported(target.user_id, target.memory_id, target.version):
            letter = DeadLetter(target.user_id, f"memory#{target.memory_id}", None, outcome.reason)
            if not set_aside([letter], projector.letters):
                projector.pending.mark_reported(target.user_id, target.memory_id, target.version, confirmed=False)

    return aside


def _milliseconds_since(at: datetime) -> float:
    return max(0.0, (datetime.now(UTC) - at).total_seconds() * 1000)
