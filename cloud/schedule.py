"""Calls functions by the clock, in the place of EventBridge Scheduler."""

import logging
import threading
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import Any

from cloud.invoking import ACCOUNT, REGION, Context, Handler

_log = logging.getLogger("cloud")


@contextmanager
def by_schedule(function: str, handler: Handler, pause: Callable[[], float], seconds: float = 300.0) -> Iterator[None]:
    """Calls a handler again and again until the end, `pause` seconds apart; `seconds`: what one invocation may take.

    A run that fails is told and the next one comes, as the service has it.
    """
    stop = threading.Event()

    def run() -> None:
        while not stop.wait(pause()):
            try:
                handler(event(), Context(function, seconds))
            except Exception as error:  # noqa: BLE001 - whatever a function raises
                _log.warning("%s failed, and runs again: %s", function, error)

    thread = threading.Thread(target=run, name=function, daemon=True)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def event() -> dict[str, Any]:
    """What the service sends where the schedule gives no input of its own."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.scheduler",
        "account": ACCOUNT,
        "time": f"{datetime.now(UTC):%Y-%m-%dT%H:%M:%SZ}",
        "region": REGION,
        "resources": [f"arn:aws:scheduler:{REGION}:{ACCOUNT}:schedule/default/local"],
        "detail": "{}",
    }


def until(hour: int) -> float:
    """Seconds until it is the next time so many o'clock (UTC)."""
    now = datetime.now(UTC)
    today = now.replace(hour=hour, minute=0, second=0, microsecond=0)
    return ((today if today > now else today + timedelta(days=1)) - now).total_seconds()
