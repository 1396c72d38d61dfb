"""Where Claude is asked: at Anthropic, with a key, or on Bedrock, by role. The SDK is imported with the first client."""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Protocol

from commonplace.errors import require_extra

if TYPE_CHECKING:
    import anthropic


class Clients(Protocol):
    """Gives the SDK's client, a reused one; made when it is first needed."""

    def client(self) -> "anthropic.Anthropic | anthropic.AnthropicBedrock":
        """A client without retries of its own. Raises `ModelUnavailable` when there is no key to be had."""

    def require(self) -> None:
        """Raises `INVALID_ARGUMENT` where a library that it needs is not installed, with the command that installs it."""

    def close(self) -> None:
        """Closes the connections; the next question opens new ones."""


class WithKey:
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


class OnBedrock:
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
