"""Creates SDK clients for Anthropic's API, which needs a key, and for Bedrock, which needs a role. Translates SDK errors."""

import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Protocol

from commonplace.domain.errors import require_extra
from commonplace.ports.values import ModelUnavailable

if TYPE_CHECKING:
    import anthropic

_SECONDS = 300
_RETRIED = frozenset({408, 409, 429})
_TYPE = re.compile(r"[a-z_]{1,64}")


def read_secret(arn: str) -> str:
    """Return the text of a secret, cached for five minutes. Raises `ModelUnavailable` if it is empty or can't be read."""
    require_extra("aws", "the key of Claude is configured as a secret of AWS")
    from aws_lambda_powertools.utilities import parameters

    try:
        secret = parameters.get_secret(arn, max_age=_SECONDS)
    except parameters.exceptions.GetParameterError as error:
        raise ModelUnavailable("the secret with Claude's key can't be read", misconfigured=True) from error
    if not isinstance(secret, str) or not secret.strip():
        raise ModelUnavailable("the secret with Claude's key is empty", misconfigured=True)
    return secret


class Clients(Protocol):
    """Creates an SDK client on first use, and returns the same client afterwards."""

    def client(self) -> "anthropic.Anthropic | anthropic.AnthropicBedrock":
        """Return a client that does not retry. Raises `ModelUnavailable` if the key can't be read."""

    def require(self) -> None:
        """Raise `INVALID_ARGUMENT` if a required library is missing. The message contains the install command."""

    def close(self) -> None:
        """Close the connections. The next call opens new connections."""


class KeyClients:
    """Creates clients for the Messages API. A changed key takes effect without a deployment."""

    def __init__(self, key: Callable[[], str], base_url: str | None = None) -> None:
        self._key, self._base_url = key, base_url
        self._made: tuple[str, anthropic.Anthropic] | None = None
        self._lock = threading.Lock()

    def require(self) -> None:
        require_extra("claude", "Claude is configured")

    def client(self) -> "anthropic.Anthropic":
        import anthropic

        key = self._key().strip()  # a key from a file ends in a newline, which would make the header invalid
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
    """Creates clients for Claude on Bedrock, with the credentials and the region from the environment."""

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
    """The reason that a call failed. `why` never quotes the server's message, which may repeat the user's text or the key."""

    why: str
    transient: bool = True
    misconfigured: bool = False
    pause: float | None = None
    """The number of seconds that the server asks clients to wait, or None."""
    request: str | None = None
    """The API's request id."""
    objection: str = ""
    """The server's message about a malformed request, which is only searched for parameter names."""


def failure_of(error: "anthropic.APIError | TimeoutError") -> Failure:
    """Convert an SDK error to a failure, with the reason and whether a retry may help."""
    import anthropic
    import httpx2

    if isinstance(error, anthropic.APIStatusError):
        return _build_failure(error)
    if isinstance(error, TimeoutError | anthropic.APITimeoutError):
        return Failure("Claude did not answer in time")
    if isinstance(error.__cause__, httpx2.UnsupportedProtocol | httpx2.LocalProtocolError | httpx2.InvalidURL):
        return Failure("Claude could not be called: the address or the key is malformed", False, True)
    return Failure("Claude could not be reached")


def _build_failure(error: "anthropic.APIStatusError") -> Failure:
    status, headers = error.status_code, error.response.headers
    kinds = [kind for kind in (error.error_code, error.type) if isinstance(kind, str) and _TYPE.fullmatch(kind)]
    transient = status in _RETRIED or status >= 500
    # The API's `x-should-retry` header takes precedence. For example, a 429 for a spent budget is permanent.
    return Failure(
        why=f"Claude answered {status}" + (f" ({kinds[0]})" if kinds else ""),
        transient={"true": True, "false": False}.get(headers.get("x-should-retry", ""), transient),
        misconfigured=400 <= status < 500 and status not in _RETRIED,
        pause=_parse_retry_after(headers.get("retry-after")),
        request=error.request_id,
        objection=str(error.body) if status in (400, 422) else "",
    )


def _parse_retry_after(header: str | None) -> float | None:
    """Return the seconds to wait from a `retry-after` header, which contains seconds or a date, or None."""
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
