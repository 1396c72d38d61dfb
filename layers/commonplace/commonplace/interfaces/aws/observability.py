"""Records logs, metrics and traces of invocations, without any user's text."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from logging.handlers import BufferingHandler
from traceback import walk_tb
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from commonplace.contract.registry import TOOLS
from commonplace.interfaces.aws.call import Body, Call, Context
from commonplace.settings import log_level, metrics_namespace, traced

_NAMES = {tool.name for tool in TOOLS}


class PlacesOnlyFormatter(LambdaPowertoolsFormatter):
    """Logs only the code locations of an exception, because the message may quote a user."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        """Return the code locations of the traceback, innermost last."""
        return ", ".join(f"{frame.f_code.co_filename}:{line}" for frame, line in walk_tb(ei[2]))


@dataclass
class Observation:
    """The data to log about one invocation."""

    tool: str = "unknown"
    status: int = 500
    body: Body | None = None

    def asks(self, call: Call) -> Call:
        """Record the tool's name. An unknown name is not recorded, because it may contain any text."""
        if call.kind != "tool" or call.name in _NAMES:
            self.tool = call.name if call.kind == "tool" else call.kind
        return call

    def answered(self, status: int, body: Body) -> None:
        """Record the answer. Only the error code and two of the notes are logged."""
        self.status, self.body = status, body

    @property
    def summary(self) -> dict[str, str]:
        """The error code and the notes `method` and `degraded` of the answer, if present."""
        body = self.body or {}
        body_notes, error = body.get("notes"), body.get("error") or {}
        notes = body_notes if isinstance(body_notes, dict) else {}  # a run's notes are a list of sentences
        fields = {"code": error.get("code"), "method": notes.get("method"), "degraded": notes.get("degraded")}
        return {name: value for name, value in fields.items() if value}


@contextmanager
def observe(function: str, kind: str, correlation: str | None, context: Context) -> Iterator[Observation]:
    """Observe one invocation of a tool, and write its metrics and a log line at the end."""
    seen, start = Observation(), time.perf_counter()
    with log_keys(function, correlation, context), errors_logged() as errors:
        try:
            subsegment = _load_tracer().provider.in_subsegment(f"## {function}") if traced() else nullcontext()
            with subsegment as segment:
                yield seen
                if segment is not None:
                    for key, value in {"tool": seen.tool, "way": kind, "status": seen.status}.items():
                        segment.put_annotation(key, value)
        finally:
            milliseconds = (time.perf_counter() - start) * 1000
            _emit_call_metrics(function, seen, milliseconds, len(errors))
            line = {"tool": seen.tool, "way": kind, "status": seen.status, "ms": round(milliseconds, 1), **seen.summary}
            logger().info("call", extra=line)


@contextmanager
def log_keys(function: str, correlation: str | None, context: Context) -> Iterator[None]:
    """Add the function name, Lambda's request id and the caller's id to every line logged inside the block."""
    # Lambda may set the root logger to DEBUG, at which level clients log whole requests with users' texts.
    root, least = logging.getLogger(), max(logging.INFO, logger().log_level)
    if root.level < least:
        root.setLevel(least)
    keys = {"function": function, "request_id": context.aws_request_id, "correlation_id": correlation}
    with logger().append_context_keys(**keys):
        yield


@contextmanager
def measured(function: str, **dimensions: str) -> Iterator[EphemeralMetrics]:
    """Yield the metrics of one function. At the end, write the metrics as one line in CloudWatch's embedded metric format.

    Powertools' `Metrics` would share state between all calls and threads of a process, even when metrics are off.
    """
    metrics = EphemeralMetrics(namespace=metrics_namespace(), service=function)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    yield metrics
    metrics.flush_metrics()


@cache
def logger() -> Logger:
    """Return the logger of the whole package, which writes JSON lines.

    The level is set here, because Powertools would use the function's log level, which must be low for metrics.
    """
    formatter = PlacesOnlyFormatter(serialize_stacktrace=False, utc=True)
    made = Logger(service="commonplace", logger_formatter=formatter, logger_handler=_CurrentStdout())
    logging.getLogger(made.name).setLevel(log_level())
    return made


def _emit_call_metrics(function: str, seen: Observation, milliseconds: float, errors: int) -> None:
    with measured(function, tool=seen.tool) as metrics:
        metrics.add_metric("Calls", MetricUnit.Count, 1)
        metrics.add_metric("Latency", MetricUnit.Milliseconds, milliseconds)
        metrics.add_metric("Refused", MetricUnit.Count, 400 <= seen.status < 500)
        metrics.add_metric("Failed", MetricUnit.Count, seen.status >= 500)
        metrics.add_metric("Degraded", MetricUnit.Count, "degraded" in seen.summary)
        metrics.add_metric("LoggedErrors", MetricUnit.Count, errors)
        if "method" in seen.summary:
            metrics.add_metric(f"By{seen.summary['method'].capitalize()}", MetricUnit.Count, 1)


@contextmanager
def errors_logged() -> Iterator[list[logging.LogRecord]]:
    """Yield the errors logged in the block. When rules replace a misconfigured model, the only sign is a logged error."""
    records, package = BufferingHandler(sys.maxsize), logging.getLogger("commonplace")
    records.setLevel(logging.ERROR)
    package.addHandler(records)
    try:
        yield records.buffer
    finally:
        package.removeHandler(records)


@cache
def _load_tracer() -> Any:
    """Import the tracer only if tracing is on, because the X-Ray SDK loads more slowly than Powertools."""
    from aws_lambda_powertools import Tracer

    return Tracer(service="commonplace", patch_modules=["botocore"])


class _CurrentStdout(logging.Handler):
    """Writes to the current `sys.stdout`, even if it was replaced after the handler was created."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stdout.write(self.format(record) + "\n")
