"""The client of the table, shared by all threads, with its timeouts."""

import math
import time
import zlib
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import ChecksumError

from commonplace.adapters.dynamodb.calls import Calls

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_SECONDS = 5.0


def connect(region: str, endpoint_url: str | None = None, seconds: float = 3.0) -> "DynamoDBClient":
    """A client that doesn't retry by itself: `Calls` does, knowing the deadline. Shared by threads.

    `seconds`: how long one attempt may take; the last one may end so much after the deadline.
    """
    config = Config(
        retries={"total_max_attempts": 1},
        connect_timeout=1,
        read_timeout=seconds,
        max_pool_connections=32,
        tcp_keepalive=True,
    )
    session: Any = botocore.session.get_session()  # boto3 adds nothing to it but time to import
    client: DynamoDBClient = session.create_client("dynamodb", region_name=region, endpoint_url=endpoint_url, config=config)
    client.meta.events.register("before-parse.dynamodb", _refuse_cut)
    return client


class Table:
    """A table by its client and name. `remaining`: seconds that whoever asks now may still spend."""

    def __init__(self, client: "DynamoDBClient", name: str, remaining: Callable[[], float] = lambda: _SECONDS) -> None:
        self._client, self._name, self._remaining = client, name, remaining

    def calls(self, at_most: float = math.inf) -> Calls:
        """Calls that have to be done within the seconds that remain from now on, or even fewer."""
        return Calls(self._client, self._name, time.monotonic() + min(at_most, self._remaining()))


def _refuse_cut(response_dict: Mapping[str, Any], **_: object) -> None:
    """An answer that ended in the middle is no answer, and may not even be UTF-8: botocore would read it as an empty one.

    It looks at this checksum itself only where it retries by itself.
    """
    length = response_dict["headers"].get("x-amz-crc32")
    if length is not None and int(length) != zlib.crc32(response_dict["body"]):
        raise ChecksumError(checksum_type="crc32", expected_checksum=length, actual_checksum="another")
