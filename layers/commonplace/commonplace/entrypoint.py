"""A tool call from any way in: name and arguments in, a plain answer out, and one place for what goes wrong."""

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from commonplace import intake
from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.fields import Result
from commonplace.ports import Caller, Ports
from commonplace.tools import tool_named

_log = logging.getLogger("commonplace")


def call(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> Result:
    """Runs a tool and gives its result; raises `CommonplaceError`."""
    tool = tool_named(name)
    request, kinds = intake.read(tool.request, arguments, caller.now.tzinfo)
    return tool.run()(request, replace(caller, redacted=tuple(kinds)), ports)


def answer(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> tuple[int, dict[str, Any]]:
    """The same for ways in that speak HTTP or JSON: a status and a body, whatever happens."""
    return guarded(lambda: call(name, arguments, caller, ports).model_dump(mode="json"))


def guarded(work: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """What a piece of work answers, as a status and a body, whatever happens."""
    try:
        return 200, work()
    except CommonplaceError as error:
        return error.code.status, error.body()
    except Exception as error:  # noqa: BLE001 - the one place: an unknown failure is a code and an id, never its own words
        return 500, unknown(error).body()


def unknown(error: Exception) -> CommonplaceError:
    """An unknown failure as ours, logged under the id that the caller is told."""
    incident = uuid.uuid4().hex[:12]
    _log.error("unexpected failure %s: %s", incident, type(error).__name__, exc_info=error)
    return CommonplaceError(ErrorCode.INTERNAL, f"something failed here; quote {incident} when you report it")
