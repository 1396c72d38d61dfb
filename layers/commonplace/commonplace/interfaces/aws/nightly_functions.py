"""Lambda functions for nightly runs. `plan` queues users with work, `night` does the work, and `record` serves the routes.

The function `night` also continues tool calls that exceed the time limit of a call.
"""

import json
import logging
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, tzinfo
from typing import Any

from aws_lambda_powertools.metrics import MetricUnit

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.runs import Run
from commonplace.domain.strict_json import read_object
from commonplace.interfaces import nightly_routes
from commonplace.interfaces.aws import container
from commonplace.interfaces.aws.call import Body, Call, Context
from commonplace.interfaces.aws.observability import errors_logged, log_keys, measured
from commonplace.nightly.readers import reader_for
from commonplace.nightly.service import Nights
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Caller
from commonplace.runs import queueing
from commonplace.runs.apply import RunContext, leased
from commonplace.runs.staging import go_on, run_context
from commonplace.use_cases import dispatch
from commonplace.use_cases.dispatch import status_and_body

_TO_END = 60_000  # milliseconds
_WHILE_ANOTHER = 60  # seconds
_BUSY = (ErrorCode.CONFLICT, ErrorCode.LEASE_LOST)
_log = logging.getLogger("commonplace")


def answer(call: Call) -> Body:
    """Return the answer to a call of kind `night`. Raises `CommonplaceError`."""
    assert call.user_id is not None
    values = call.arguments
    nights = nights_of(call.user_id, call.zone, admin=call.admin)
    return nightly_routes.answer(call.name, values["path"], values["query"], lambda: read_object(values["body"]), nights)


def nights_of(user_id: str, zone: tzinfo, go_on: Callable[[], bool] = lambda: True, admin: bool = False) -> Nights:
    """Return the use cases for a user's nightly runs, at the current time."""
    caller = Caller(user_id, container.now(zone), admin=admin)
    context = RunContext(caller, container.ports(), container.night(), lambda: container.now(zone))
    return Nights(context, reader_for(context), go_on)


def zone_of(user_id: str, night: NightPorts) -> tzinfo:
    """Return the UTC offset of a user's oldest pending interaction, or UTC if none is pending.

    A resumed run keeps its original offset, because the days of a run are planned by date.
    """
    unfinished = night.runs.unfinished(user_id)
    times = [entry.time for entry in night.ledger.pending(user_id, 1)] if unfinished is None else [unfinished.started_at]
    return next((time.tzinfo for time in times if time.tzinfo), UTC)


def plan(event: dict[str, Any], context: Context) -> Body:
    """Queue a message for each user with pending interactions, or with texts whose retention period has ended."""

    def work() -> dict[str, Any]:
        nights = container.night_schedule()
        users = nights.queue.send(nights.ledger.due(container.now(UTC) - nights.text_retention))
        with measured("plan") as metrics:
            metrics.add_metric("Planned", MetricUnit.Count, users)
        return {"users": users}

    container.begin(context.get_remaining_time_in_millis())
    with log_keys("plan", event.get("id"), context):
        status, body = status_and_body(work)
    if status >= 400:
        raise RuntimeError(body["error"]["message"])  # so that the event is retried and the alarm is raised
    return body


def night(event: dict[str, Any], context: Context) -> Body:
    """For each message in a batch, read its user's pending interactions or continue a run. Lambda retries failed messages."""
    milliseconds = context.get_remaining_time_in_millis()
    container.begin(milliseconds, working=(milliseconds - _TO_END) / 1000)
    failed = [record["messageId"] for record in event["Records"] if not _run_message(record, context)]
    return {"batchItemFailures": [{"itemIdentifier": message} for message in failed]}


def _run_message(message: dict[str, Any], context: Context) -> bool:
    """Start a user's nightly run or continue a run. Return False if the message must be retried."""
    runs: list[Run] = []

    def work() -> dict[str, Any]:
        body = json.loads(message["body"])
        user_id = str(body["user_id"])
        if "run_id" in body:
            runs.extend(_continue_or_queue(user_id, str(body["run_id"])))
            return {}
        nights = nights_of(
            user_id, zone_of(user_id, container.night()), lambda: context.get_remaining_time_in_millis() >= _TO_END
        )
        for run in nights.nightly():
            runs.append(run)
        if runs and runs[-1].status == "running":  # out of time; another invocation continues
            container.night_schedule().queue.send([user_id])
        return {}

    with log_keys("night", message["messageId"], context), errors_logged() as errors:
        status, body = status_and_body(work)
        if status >= 400:
            _log.warning("a night ends early: %s", body["error"]["code"])
        _emit_run_metrics(runs, len(errors))
    return status < 400 or body["error"]["code"] in [code.label for code in _BUSY]


def _continue_or_queue(user_id: str, run_id: str) -> list[Run]:
    """Continue a run that ran out of time, and return the run if it ends. If another run is in progress, requeue this run."""
    try:
        run = _continue_run(user_id, run_id)
    except CommonplaceError as error:
        if error.code not in _BUSY:
            raise
        container.night_schedule().queue.send_run(user_id, run_id, _WHILE_ANOTHER)
        return []
    return [] if run is None or run.is_at_work else [run]


def _continue_run(user_id: str, run_id: str) -> Run | None:
    """Finish a run or start a queued run, with the rights stored in the run, because the message contains only ids."""
    from commonplace.pages.publishing import publish

    runs, ports = container.night().runs, container.ports()
    run = runs.get(user_id, run_id)
    if run is None or run.kind not in queueing.TOOLS or not run.is_at_work:
        return None
    caller = Caller(user_id, container.now(run.started_at.tzinfo or UTC), goes_on=run_id)
    context = run_context(caller, ports)
    if run.status == "running":
        return go_on(run, context, publish)
    try:
        request = queueing.stored_request(run, context)
        asking = replace(caller, agent_id=request.agent_id, admin=request.admin)
        dispatch.call(queueing.TOOLS[run.kind], request.arguments, asking, ports)
    except CommonplaceError as error:
        if error.code in _BUSY or error.code.status >= 500:
            raise
        with leased(context) as lease:
            queueing.failed(run, error.message, context, lease)
    return runs.get(user_id, run_id)


def _emit_run_metrics(runs: Sequence[Run], errors: int) -> None:
    applied = [operation for run in runs for operation in run.operations if operation.outcome == "applied"]
    with measured("night") as metrics:
        metrics.add_metric("Runs", MetricUnit.Count, len(runs))
        metrics.add_metric("Read", MetricUnit.Count, sum(len(run.interactions) - len(run.unread) for run in runs))
        metrics.add_metric("Unread", MetricUnit.Count, sum(len(run.unread) for run in runs))
        metrics.add_metric("Applied", MetricUnit.Count, len(applied))
        metrics.add_metric("InputTokens", MetricUnit.Count, sum(run.input_tokens for run in runs))
        metrics.add_metric("OutputTokens", MetricUnit.Count, sum(run.output_tokens for run in runs))
        metrics.add_metric("LoggedErrors", MetricUnit.Count, errors)
