"""The client of the domain: its timeouts, and its errors as `IndexUnavailable`."""

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
_CONNECT_SECONDS = 1.0  # tried twice
_AT_ONCE = 16  # connections kept; a Lambda needs one, a server with threads more
_BACKGROUND_SECONDS = "10s"  # then the domain itself gives a search up


def connect(url: str, region: str | None = None, seconds: float = SEARCH_SECONDS) -> OpenSearch:
    """A client to be kept; it connects when it is first used.

    `region`: sign each request with the role that this runs as (SigV4). `seconds`: what one request may take. A connection
    that went stale is opened once more; nothing else is asked twice.
    """
    signer = None
    if region is not None:
        import boto3

        signer = Urllib3AWSV4SignerAuth(boto3.Session().get_credentials(), region, "es")
    return OpenSearch(
        url,
        http_auth=signer,
        timeout=Timeout(connect=min(_CONNECT_SECONDS, seconds), read=seconds),
        pool_maxsize=_AT_ONCE,
        max_retries=1,
        retry_on_timeout=False,
        retry_on_status=(),
        http_compress=region is not None,
        verify_certs=True,
    )


@contextmanager
def as_index_unavailable() -> Iterator[None]:
    """Raises errors of the vendor's library as `IndexUnavailable`, without any word of a memory."""
    try:
        yield
    except TransportError as error:
        kind = str(error.error)
        reason = kind if isinstance(error, ConnectionError) or kind.isidentifier() else ""
        raise IndexUnavailable(f"{type(error).__name__} {error.status_code} {reason}".strip()[:200]) from error
    except OpenSearchException as error:
        raise IndexUnavailable(type(error).__name__) from error


def integer(number: int) -> int:
    """A number as a field of the type `integer` takes it: one beyond 32 bits, which it refuses, as the nearest."""
    return min(max(number, -(2**31)), 2**31 - 1)


def numbers(vector: Vector) -> list[float]:
    """A vector as JSON has it, as short as float32 allows."""
    short: list[float] = np.round(vector.astype(np.float64), 7).tolist()
    return short


def routing_of(user_id: str) -> str:
    """The routing value by which a user's documents share a shard; not the id, for a comma would make two of it."""
    return hashlib.blake2b(user_id.encode(), digest_size=8).hexdigest()


def ask(client: OpenSearch, alias: str, user_id: str, *searches: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The answers to some searches over one user's documents, in one request; raises `IndexUnavailable`.

    An answer that is not whole, because a shard failed or time ran out, is none.
    """
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
