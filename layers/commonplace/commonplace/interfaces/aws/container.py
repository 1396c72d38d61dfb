"""Opens the ports that all invocations in a container share. They are opened by the first call, not during the import."""

import logging
import math
import time
from collections.abc import Callable
from contextvars import ContextVar
from dataclasses import replace
from datetime import datetime, tzinfo
from functools import cache
from typing import TYPE_CHECKING, TypeVar

from commonplace.bootstrap import cloud, local, maintenance
from commonplace.bootstrap.functions import Answers, open_functions
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.indexing.stream import Projector
from commonplace.ports.bundle import Ports, Relay
from commonplace.settings import Settings, read_settings

if TYPE_CHECKING:
    from commonplace.ports.night import NightPorts

_log = logging.getLogger("commonplace")
_T = TypeVar("_T")
_LEAST, _MOST, _TO_ANSWER = 0.2, 20.0, 1.0  # seconds
_WORKING = 5.0  # seconds until long work is handed to a worker
_until: ContextVar[float] = ContextVar("until", default=math.inf)
_working_until: ContextVar[float] = ContextVar("working_until", default=math.inf)


@cache
def settings() -> Settings:
    """Read the settings from the environment once per process. Raises `INTERNAL` for an invalid value and logs the cause."""
    return _hide_setting_errors(read_settings)


@cache
def store() -> local.OpenStore:
    """Open the store in the table, once per process."""
    return _hide_setting_errors(lambda: cloud.open_cloud(settings(), remaining, left))


def ports() -> Ports:
    """Return all ports, including the queue for the worker that continues work too long for one call."""
    opened, relay = store().ports, _open_relay(settings())
    return opened if relay is None else replace(opened, relay=relay)


@cache
def _open_relay(settings: Settings) -> Relay | None:
    return None if settings.night_queue is None else maintenance.open_relay(settings, in_time, remaining)


@cache
def night() -> "NightPorts":
    return _hide_setting_errors(store().night)


@cache
def night_schedule() -> maintenance.NightSchedule:
    return _hide_setting_errors(lambda: maintenance.open_night_schedule(settings(), remaining))


@cache
def models() -> Ports:
    """Return ports with only the models, for the tool `normalize`, which needs neither table nor index."""
    return _hide_setting_errors(lambda: cloud.open_models(settings(), left))


@cache
def functions() -> Answers:
    """Return a client that the MCP function uses to invoke the functions that serve the tools."""
    return _hide_setting_errors(lambda: open_functions(settings()))


@cache
def projector() -> Projector:
    """Return the projector, which copies changed records to the index."""
    return _hide_setting_errors(lambda: maintenance.open_projector(settings(), remaining))


def begin(milliseconds: int, working: float | None = None) -> None:
    """Start an invocation with a time limit. After `working` seconds (by default 5), a worker takes over long work."""
    _until.set(time.monotonic() + milliseconds / 1000)
    _working_until.set(time.monotonic() + (_WORKING if working is None else working))


def in_time() -> bool:
    """Return whether this invocation may continue long work."""
    return time.monotonic() < _working_until.get()


def left() -> float:
    """Return the seconds until Lambda ends this invocation."""
    return _until.get() - time.monotonic()


def remaining() -> float:
    """Return how many seconds this invocation may wait for a busy table and still have time to report the failure."""
    return max(_LEAST, min(_MOST, left() - _TO_ANSWER))


def now(zone: tzinfo) -> datetime:
    """Return the current time in a user's time zone."""
    return datetime.now(zone)


def _hide_setting_errors(opened: Callable[[], _T]) -> _T:
    """Report an invalid setting as `INTERNAL`, because the caller can't correct the setting."""
    try:
        return opened()
    except CommonplaceError as error:
        if error.code is not ErrorCode.INVALID_ARGUMENT:
            raise
        _log.error("misconfigured: %s", error)
        raise CommonplaceError(ErrorCode.INTERNAL, "this function is misconfigured; see its log") from error
