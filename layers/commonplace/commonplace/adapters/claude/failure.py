"""The SDK's errors in this package's words."""

import re
import time
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import anthropic

_TRY_AGAIN = frozenset({408, 409, 429})
_TYPE = re.compile(r"[a-z_]{1,64}")


@dataclass(frozen=True)
class Failure:
    """Why a call gave nothing. `why` never quotes what the server wrote: it may quote the text or the key."""

    why: str
    transient: bool = True
    misconfigured: bool = False
    pause: float | None = None
    """Seconds that the server wants to be left alone; None if it doesn't say."""
    request: str | None = None
    """The API's id of the call."""
    objection: str = ""
    """What the server wrote about a request that it found malformed; only to be searched for names of parameters."""


def failure_of(error: "anthropic.APIError | TimeoutError") -> Failure:
    """What went wrong, and whether trying again may help."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _of_status(error)
    if isinstance(error, TimeoutError | anthropic.APITimeoutError):
        return Failure("Claude did not answer in time")
    if isinstance(error.__cause__, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL):
        return Failure("Claude could not be called: the address or the key is malformed", False, True)
    return Failure("Claude could not be reached")


def _of_status(error: "anthropic.APIStatusError") -> Failure:
    status, headers = error.status_code, error.response.headers
    kinds = [kind for kind in (error.error_code, error.type) if isinstance(kind, str) and _TYPE.fullmatch(kind)]
    transient = status in _TRY_AGAIN or status >= 500
    # The API knows better at times: a 429 for a spent budget will not pass.
    return Failure(
        why=f"Claude answered {status}" + (f" ({kinds[0]})" if kinds else ""),
        transient={"true": True, "false": False}.get(headers.get("x-should-retry", ""), transient),
        misconfigured=400 <= status < 500 and status not in _TRY_AGAIN,
        pause=_seconds(headers.get("retry-after")),
        request=error.request_id,
        objection=str(error.body) if status in (400, 422) else "",
    )


def _seconds(header: str | None) -> float | None:
    """Of a `retry-after` header: seconds, or an HTTP date."""
    if header is None:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(header).timestamp() - time.time()
        except ValueError:
            return None
    return max(0.0, seconds)
