"""Run the agent's tools on a local memory file or on a server."""

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.client import HTTPException
from typing import Any, Protocol

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.errors import ErrorCode
from commonplace.domain.interactions import RecordResult

SECONDS = 60.0  # timeout of a request


class Memory(Protocol):
    """The methods that the agent needs; `Commonplace` has them."""

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Call a tool. Return an HTTP status and a body; never raises."""

    def record_interactions(self, interactions: Sequence[Any]) -> RecordResult:
        """Record interactions for the next nightly run. Raises `CommonplaceError`."""


@contextmanager
def opened(url: str | None, db: str | None, user: str | None) -> Iterator[Memory]:
    """Open the server at `url`, or else a file. Arguments that are None come from the environment, as for `commonplace`."""
    if url is not None:
        yield OverHttp(url, os.environ.get("COMMONPLACE_TOKEN"))
        return
    with Commonplace(db, user_id=user) as memory:
        yield memory


class OverHttp:
    """A server started by `commonplace serve`, or a stack on AWS, where the token names the user."""

    def __init__(self, url: str, token: str | None = None) -> None:
        self._url = url.rstrip("/")
        self._headers = {"Content-Type": "application/json"} | ({"Authorization": f"Bearer {token}"} if token else {})

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        return self._post(f"/tools/{tool}", arguments)

    def record_interactions(self, interactions: Sequence[Any]) -> RecordResult:
        status, body = self._post("/interactions", {"interactions": list(interactions)})
        if status != 200:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{self._url} answered {status}: {json.dumps(body)}")
        return RecordResult.model_validate(body)

    def _post(self, path: str, body: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        request = urllib.request.Request(self._url + path, json.dumps(body).encode(), self._headers)
        try:
            with urllib.request.urlopen(request, timeout=SECONDS) as response:
                return self._read(response.status, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return self._read(error.code, error.read())
        except (OSError, HTTPException) as error:
            return self._lost(f"can't be reached: {error}")

    def _read(self, status: int, body: bytes) -> tuple[int, dict[str, Any]]:
        try:
            read = json.loads(body)
        except ValueError:
            read = None
        if not isinstance(read, dict):
            return self._lost(f"answered {status} and no JSON object: is it a memory server?")
        return status, read

    def _lost(self, why: str) -> tuple[int, dict[str, Any]]:
        error = CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"{self._url} {why}")
        return error.code.status, error.body()
