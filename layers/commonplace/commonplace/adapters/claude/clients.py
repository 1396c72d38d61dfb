"""Clients of the SDK: for Anthropic's API by key, or for Bedrock by role; and the SDK's errors as this package's own."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from functools import partial
from typing import TYPE_CHECKING, Protocol

from commonplace.domain.errors import require_extra
from commonplace.ports.values import ModelUnavailable

if TYPE_CHECKING:
    import anthropic

_SECONDS = 300

_TRY_AGAIN = frozenset({408, 409, 429})
_TYPE = re.compile(r"[a-z_]{1,64}")


def read_secret(arn: str) -> str:
    """The secret's text. Raises `ModelUnavailable` when it can't be read, as a misconfiguration."""
    require_extra("aws", "the key of Claude is configured as a secret of AWS")
    from aws_lambda_powertools.utilities import parameters

    try:
        found = parameters.get_secret(arn, max_age=_SECONDS)
    except parameters.exceptions.GetParameterError as error:
        raise ModelUnavailable("the secret with Claude's key can't be read", misconfigured=True) from error
    if not isinstance(found, str) or not found.strip():
        raise ModelUnavailable("the secret with Claude's key is empty", misconfigured=True)
    return found


def secret_reader(arn: str) -> partial[str]:
    """Reads that secret, each time it is called."""
    return partial(read_secret, arn)


class Clients(Protocol):
    """Gives the SDK's client, a reused one; made when it is first needed."""

    def client(self) -> "anthropic.Anthropic | anthropic.AnthropicBedrock":
        """A client without retries of its own. Raises `ModelUnavailable` when there is no key to be had."""

    def require(self) -> None:
        """Raises `INVALID_ARGUMENT` where a library that it needs is not installed, with the command that installs it."""

    def close(self) -> None:
        """Closes the connections; the next question opens new ones."""


class KeyClients:
    """The Messages API. The key is asked for at every question, so that a new one holds without a new deployment."""

    def __init__(self, key: Callable[[], str], base_url: str | None = None) -> None:
        self._key, self._base_url = key, base_url
        self._made: tuple[str, anthropic.Anthropic] | None = None
        self._lock = threading.Lock()

    def require(self) -> None:
        require_extra("claude", "Claude is configured")

    def client(self) -> "anthropic.Anthropic":
        import anthropic

        key = self._key().strip()  # a line break at the end, as a key out of a file has, would make the header invalid
        with self._lock:
            if self._made is None or self._made[0] != key:
                self._made = key, anthropic.Anthropic(api_key=key, base_url=self._base_url, max_retries=0)
            return self._made[1]

    def close(self) -> None:
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            made[1].close()


class BedrockClients:
    """Claude on Bedrock, by the credentials of the machine or the function; the region is that of its environment."""

    def __init__(self, base_url: str | None = None) -> None:
        self._base_url = base_url
        self._made: anthropic.AnthropicBedrock | None = None
        self._lock = threading.Lock()

    def require(self) -> None:
        require_extra("claude", "Claude on Bedrock is configured")
        require_extra("aws", "Claude on Bedrock is configured")  # the SDK signs with botocore

    def client(self) -> "anthropic.AnthropicBedrock":
        import anthropic

        with self._lock:
            if self._made is None:
                self._made = anthropic.AnthropicBedrock(base_url=self._base_url, max_retries=0)
            return self._made

    def close(self) -> None:
        with self._lock:
            made, self._made = self._made, None
        if made is not None:
            made.close()


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
    """Translates an SDK error: what went wrong, and whether trying again may help."""
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
    """The seconds of a `retry-after` header, which gives seconds or an HTTP date."""
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
