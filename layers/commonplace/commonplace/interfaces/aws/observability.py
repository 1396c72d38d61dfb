"""Logs, metrics and traces of invocations, without any text of a user."""

import logging
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import cache
from types import TracebackType
from typing import Any

from aws_lambda_powertools import Logger
from aws_lambda_powertools.logging.formatter import LambdaPowertoolsFormatter
from aws_lambda_powertools.metrics import EphemeralMetrics, MetricUnit

from commonplace.contract.registry import TOOLS
from commonplace.interfaces.aws.call import Body, Call, Context
from commonplace.settings import log_level, metrics_namespace, traced

_NAMES = {tool.name for tool in TOOLS}


class PlacesOnlyFormatter(LambdaPowertoolsFormatter):
    """Logs an exception by its places in the code only: its message may quote what somebody said."""

    def formatException(self, ei: Any) -> str:  # noqa: N802 - logging's own name
        """The way to where it was raised, innermost last."""
        return ", ".join(_places(ei[2]))


@dataclass
class Observation:
    """What is known of one invocation while it runs."""

    tool: str = "unknown"
    status: int = 500
    body: Body | None = None

    def asks(self, call: Call) -> Call:
        """Notes which tool is called; a name that is none may be anything, and is not noted."""
        if call.kind != "tool" or call.name in _NAMES:
            self.tool = call.name if call.kind == "tool" else call.kind
        return call

    def answered(self, status: int, body: Body) -> None:
        """Notes the answer, of which only the error's code and two of the notes are told."""
        self.status, self.body = status, body

    @property
    def summary(self) -> dict[str, str]:
        """Code of the error; how the answer was made; that it was made another way than it should."""
        body = self.body or {}
        given, error = body.get("notes"), body.get("error") or {}
        notes = given if isinstance(given, dict) else {}  # those of a run are sentences
        found = {"code": error.get("code"), "method": notes.get("method"), "degraded": notes.get("degraded")}
        return {name: value for name, value in found.items() if value}


@contextmanager
def observe(function: str, way: str, correlation: str | None, context: Context) -> Iterator[Observation]:
    """Watches one invocation of a tool and tells of it at its end."""
    seen, start = Observation(), time.perf_counter()
    with log_keys(function, correlation, context), errors_logged() as errors:
        try:
            with _segment(function) as segment:
                yield seen
                for key, value in {"tool": seen.tool, "way": way, "status": seen.status}.items():
                    segment.put_annotation(key, value)
        finally:
            milliseconds = (time.perf_counter() - start) * 1000
            _count(function, seen, milliseconds, len(errors))
            line = {"tool": seen.tool, "way": way, "status": seen.status, "ms": round(milliseconds, 1), **seen.summary}
            logger().info("call", extra=line)


@contextmanager
def log_keys(function: str, correlation: str | None, context: Context) -> Iterator[None]:
    """Every line logged inside carries the function, Lambda's id of the request and the caller's."""
    _quiet_libraries()
    keys = {"function": function, "request_id": context.aws_request_id, "correlation_id": correlation}
    with logger().append_context_keys(**keys):
        yield


@contextmanager
def measured(function: str, **dimensions: str) -> Iterator[EphemeralMetrics]:
    """Metrics of one function, written at the end as one line in the embedded format.

    `Metrics` shares what it holds between all calls and threads of a process, and keeps it where metrics are off.
    """
    metrics = EphemeralMetrics(namespace=metrics_namespace(), service=function)
    for name, value in dimensions.items():
        metrics.add_dimension(name, value)
    yield metrics
    metrics.flush_metrics()


@cache
def logger() -> Logger:
    """The logger under which the whole package logs, as JSON lines.

    Powertools takes Lambda's own level before the one that is set for it, and Lambda's must let the metrics pass.
    """
    formatter = PlacesOnlyFormatter(serialize_stacktrace=False, utc=True)
    made = Logger(service="commonplace", logger_formatter=formatter, logger_handler=_CurrentStdout())
    logging.getLogger(made.name).setLevel(log_level())
    return made


def _quiet_libraries() -> None:
    """Lambda puts a level of its own on the root logger, INFO or DEBUG; at DEBUG the clients of DynamoDB, OpenSearch and
    Claude would log whole requests, and what was said in them."""
    root, least = logging.getLogger(), max(logging.INFO, logger().log_level)
    if root.level < least:
        root.setLevel(least)


def _count(function: str, seen: Observation, milliseconds: float, errors: int) -> None:
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
    """The lines of level error that are logged inside: a model that is misconfigured answers by rules, and is heard here."""
    kept = _CollectedRecords(logging.ERROR)
    package = logging.getLogger("commonplace")
    package.addHandler(kept)
    try:
        yield kept.records
    finally:
        package.removeHandler(kept)


def _segment(function: str) -> Any:
    return _tracer().provider.in_subsegment(f"## {function}") if traced() else nullcontext(_NoSegment())


@cache
def _tracer() -> Any:
    """Imported only where it is used: the X-Ray SDK costs more than all the rest of Powertools."""
    from aws_lambda_powertools import Tracer

    return Tracer(service="commonplace", patch_modules=["botocore"])


class _CollectedRecords(logging.Handler):
    def __init__(self, level: int) -> None:
        super().__init__(level)
        self.records: list[logging.LogRecord] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.records.append(record)


class _CurrentStdout(logging.Handler):
    """Standard output as it is when a line is told, and not when the logger was made."""

    def emit(self, record: logging.LogRecord) -> None:
        sys.stdout.write(self.format(record) + "\n")


class _NoSegment:
    def put_annotation(self, key: str, value: object) -> None:
        """Nobody follows."""


def _places(trace: TracebackType | None) -> Iterator[str]:
    while trace is not None:
        yield f"{trace.tb_frame.f_code.co_filename}:{trace.tb_lineno}"
        trace = trace.tb_next
