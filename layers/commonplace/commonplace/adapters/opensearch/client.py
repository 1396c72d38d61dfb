"""Creates clients for the OpenSearch domain with timeouts, and converts their errors to `IndexUnavailable`."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
from opensearchpy import OpenSearch, Urllib3AWSV4SignerAuth
from opensearchpy.exceptions import ConnectionError, OpenSearchException, TransportError
from urllib3 import Timeout

from commonplace.ports.values import IndexUnavailable, Vector

SEARCH_SECONDS = 2.0
WRITE_SECONDS = 30.0
_CONNECT_SECONDS = 1.0  # the client tries twice
_MOST_CONNECTIONS = 16  # a Lambda function needs one, and a threaded server needs more
_BACKGROUND_SECONDS = "10s"  # the domain cancels a search after this time


def connect(url: str, region: str | None = None, seconds: float = SEARCH_SECONDS) -> OpenSearch:
    """Create a client that can be shared and that connects on first use. `seconds` limits each request.

    If `region` is given, requests are signed with the current role (SigV4). A stale connection is reopened once, and nothing
    else is retried.
    """
    signer = None
    if region is not None:
        import boto3

        signer = Urllib3AWSV4SignerAuth(boto3.Session().get_credentials(), region, "es")
    return OpenSearch(
        url,
        http_auth=signer,
        timeout=Timeout(connect=min(_CONNECT_SECONDS, seconds), read=seconds),
        pool_maxsize=_MOST_CONNECTIONS,
        max_retries=1,
        retry_on_timeout=False,
        retry_on_status=(),
        http_compress=region is not None,
        verify_certs=True,
    )


@contextmanager
def as_index_unavailable() -> Iterator[None]:
    """Convert the library's errors to `IndexUnavailable`. The messages contain no text from memories."""
    try:
        yield
    except TransportError as error:
        kind = str(error.error)
        reason = kind if isinstance(error, ConnectionError) or kind.isidentifier() else ""
        raise IndexUnavailable(f"{type(error).__name__} {error.status_code} {reason}".strip()[:200]) from error
    except OpenSearchException as error:
        raise IndexUnavailable(type(error).__name__) from error


def integer(number: int) -> int:
    """Limit a number to the range of an `integer` field."""
    return min(max(number, -(2**31)), 2**31 - 1)


def numbers(vector: Vector) -> list[float]:
    """Convert a vector to JSON numbers with 7 decimal places, because float32 is not more precise."""
    short: list[float] = np.round(vector.astype(np.float64), 7).tolist()
    return short


def routing_of(user_id: str) -> str:
    """Return the value that routes a user's documents to one shard. The value is a hash, as OpenSearch splits at commas."""
    return hashlib.blake2b(user_id.encode(), digest_size=8).hexdigest()


def ask(client: OpenSearch, alias: str, user_id: str, *searches: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Run several searches of one user's documents in one request. Raises `IndexUnavailable` if an answer is incomplete."""
    header = {
        "routing": routing_of(user_id),
        "allow_partial_search_results": False,
        "cancel_after_time_interval": _BACKGROUND_SECONDS,
    }
    lines: list[Mapping[str, Any]] = [line for search in searches for line in (header, search)]
    with as_index_unavailable():
        answers: list[dict[str, Any]] = client.msearch(index=alias, body=lines)["responses"]
    for answer in answers:
        if "error" in answer:
            raise IndexUnavailable(f"a search failed: {answer['status']} {answer['error'].get('type')}")
        if answer["timed_out"] or answer["_shards"]["failed"]:
            raise IndexUnavailable("a search did not reach the whole index")
    return answers
