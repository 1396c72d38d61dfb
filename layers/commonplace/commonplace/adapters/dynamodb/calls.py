"""Calls the DynamoDB table. All calls through one `Calls` object share a deadline and retry transient failures."""

import itertools
import logging
import math
import random
import time
import uuid
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ChecksumError, ClientError, ConnectionError, HTTPClientError

from commonplace.adapters.dynamodb.table import ITEM, USER, Action, Item, names_in
from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_log = logging.getLogger("commonplace")
_T = TypeVar("_T")
MOST_ACTIONS = 100
"""The maximum number of actions in a transaction."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
_KEYS_PER_CALL = 100
_DELETES_PER_CALL = 10  # an item is limited to 400 KB, and a transaction to 4 MB
Failure = ClientError | BotoCoreError
_REFUSED = "ConditionalCheckFailed"
_SOON = {
    "ProvisionedThroughputExceededException", "RequestLimitExceeded", "ThrottlingException", "TransactionConflictException",
    "TransactionInProgressException",
}  # fmt: skip
_SOON_WITHIN = {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}


@dataclass(frozen=True)
class Refusal:
    """An action whose condition failed. `place` is its index in the transaction. `item` is the existing item, or {}."""

    place: int
    item: dict[str, Any]


class Calls:
    """Calls the table under a shared deadline. A call that does not succeed in time raises `STORAGE_UNAVAILABLE`."""

    def __init__(self, client: "DynamoDBClient", name: str, until: float) -> None:
        self._client, self._name, self._until = client, name, until

    def wait(self, attempt: int) -> None:
        """Sleep for a random time that tends to grow with `attempt`. Raises `STORAGE_UNAVAILABLE` close to the deadline."""
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt, 10)))
        if time.monotonic() + pause >= self._until:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy; try again")
        time.sleep(pause)

    def transact(self, actions: Sequence[Action]) -> list[Refusal]:
        """Write all actions or none. Return the refused actions, or an empty list if all actions were written."""
        token = str(uuid.uuid4())  # this token lets DynamoDB recognize a repeated attempt
        whole: list[Any] = [action.on(self._name) for action in actions]
        try:
            self._call_with_retries(lambda: self._client.transact_write_items(TransactItems=whole, ClientRequestToken=token))
        except ClientError as error:
            return refusals(error)
        return []

    def transact_all(self, actions: Sequence[Action]) -> None:
        """Write any number of unconditional actions, up to 100 per transaction."""
        for batch in in_batches(actions, MOST_ACTIONS):
            self.transact(batch)

    def put(self, item: Item) -> None:
        self._call_with_retries(lambda: self._client.put_item(TableName=self._name, Item=item))

    def delete(self, user: str, item: str, condition: str, values: Item) -> None:
        """Delete an item if it exists and the condition holds."""
        key: Any = key_of(user, item)
        with suppress(ClientError):  # the condition failed, so nothing is deleted
            self._call_with_retries(
                lambda: self._client.delete_item(
                    TableName=self._name, Key=key, ConditionExpression=condition,
                    ExpressionAttributeNames=names_in(condition), ExpressionAttributeValues=values,
                )
            )  # fmt: skip

    def delete_all(self, keys: Iterable[Item]) -> None:
        """Delete items in batches. A batch fits into one transaction even if every item has the maximum size."""
        for batch in in_batches(keys, _DELETES_PER_CALL):
            self.transact([Action("Delete", key) for key in batch])

    def update(self, user: str, item: str, change: str, condition: str, values: Item) -> Item | None:
        """Update an item and return the changed attributes. Return None if the condition fails."""
        try:
            answer: Any = self._call_with_retries(
                lambda: self._client.update_item(
                    TableName=self._name, Key=dict(key_of(user, item)),
                    UpdateExpression=change, ConditionExpression=condition,
                    ExpressionAttributeNames=names_in(f"{change} {condition}"), ExpressionAttributeValues=dict(values),
                    ReturnValues="UPDATED_NEW",
                )
            )  # fmt: skip
        except ClientError:
            return None
        return dict(answer["Attributes"])

    def get(self, keys: Iterable[tuple[str, str]], attributes: Sequence[str] = ()) -> dict[tuple[str, str], Item]:
        """Return the existing items by user and sort key. `attributes` limits the fields. Reads are strongly consistent."""
        waiting: list[Any] = [key_of(user, item) for user, item in dict.fromkeys(keys)]
        shown: dict[str, Any] = {}
        if attributes:
            shown["ProjectionExpression"] = ",".join(f"#{name}" for name in (USER, ITEM, *attributes))
            shown["ExpressionAttributeNames"] = names_in(shown["ProjectionExpression"])
        items_by_key: dict[tuple[str, str], Item] = {}
        attempt = 0
        while waiting:
            request: Any = {self._name: {"Keys": waiting[:_KEYS_PER_CALL], "ConsistentRead": True, **shown}}
            answer: Any = self._call_with_retries(lambda: self._client.batch_get_item(RequestItems=request))  # noqa: B023 - at once
            items: list[Any] = answer["Responses"].get(self._name, [])
            items_by_key |= {(item[USER]["S"], item[ITEM]["S"]): item for item in items}
            left: list[Any] = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
            waiting = [*left, *waiting[_KEYS_PER_CALL:]]
            if left and not items:
                self.wait(attempt)
                attempt += 1
        return items_by_key

    def get_item(self, user: str, item: str) -> Item | None:
        """Return the item with this key, or None. The read is strongly consistent."""
        return self.get([(user, item)]).get((user, item))

    def page(self, condition: str, values: Item, after: Item | None = None, **how: Any) -> tuple[list[Item], Item | None]:
        """Return one page of a query (up to 1 MB), and the key after which to continue, or None after the last page."""
        if after is not None:
            how["ExclusiveStartKey"] = after
        names = names_in(condition + how.get("FilterExpression", "") + how.get("ProjectionExpression", ""))
        answer: Any = self._call_with_retries(
            lambda: self._client.query(
                TableName=self._name, KeyConditionExpression=condition, ExpressionAttributeNames=names,
                ExpressionAttributeValues=values, **how,
            )
        )  # fmt: skip
        return answer["Items"], answer.get("LastEvaluatedKey")

    def pages(self, condition: str, values: Item, **how: Any) -> Iterator[list[Item]]:
        """Yield all pages of a query. All pages share one deadline."""
        return _all_pages(lambda after: self.page(condition, values, after, **how))

    def rows(self, condition: str, values: Item, **how: Any) -> Iterator[Item]:
        """Yield all rows of a query. All pages share one deadline."""
        return itertools.chain.from_iterable(self.pages(condition, values, **how))

    def scanned(self, condition: str, values: Item, after: Item | None = None) -> tuple[list[Item], Item | None]:
        """Return a page of a strongly consistent scan, and the key after which to continue, or None after the last page."""
        how: dict[str, Any] = {} if after is None else {"ExclusiveStartKey": after}
        answer: Any = self._call_with_retries(
            lambda: self._client.scan(
                TableName=self._name, FilterExpression=condition, ExpressionAttributeNames=names_in(condition),
                ExpressionAttributeValues=values, ConsistentRead=True, **how,
            )
        )  # fmt: skip
        return answer["Items"], answer.get("LastEvaluatedKey")

    def _call_with_retries(self, call: Callable[[], _T]) -> _T:
        """Repeat a call after transient failures until the deadline. Raises `STORAGE_UNAVAILABLE`, or a refusal unchanged."""
        attempt = 0
        while True:
            try:
                return call()
            except (ClientError, BotoCoreError) as error:
                if refusals(error):
                    raise
                if not is_transient(error):
                    raise storage_error(error) from error
                _log.info("tried again: %s", type(error).__name__)
                failure = error
            try:
                self.wait(attempt)
            except CommonplaceError:
                raise storage_error(failure) from failure
            attempt += 1


def key_of(user: str, item: str) -> Item:
    return {USER: {"S": user}, ITEM: {"S": item}}


def partition_condition(user: str, prefix: str = "") -> tuple[str, Mapping[str, Any]]:
    """Return the query condition and its values for the rows in a partition whose sort keys start with `prefix`."""
    if not prefix:
        return f"#{USER} = :user", {":user": {"S": user}}
    return f"#{USER} = :user AND begins_with(#{ITEM}, :prefix)", {":user": {"S": user}, ":prefix": {"S": prefix}}


def refusals(error: Failure) -> list[Refusal]:
    """Return the refused actions of a write, or an empty list if the write failed for another reason."""
    if not isinstance(error, ClientError):
        return []
    if error.response["Error"]["Code"] == f"{_REFUSED}Exception":
        return [Refusal(0, {})]
    return [
        Refusal(place, dict(reason.get("Item", {})))
        for place, reason in enumerate(error.response.get("CancellationReasons", []))
        if reason.get("Code") == _REFUSED
    ]


def is_transient(error: Failure) -> bool:
    """Return whether a retry may succeed, for example after throttling, a server error or a truncated response."""
    if not isinstance(error, ClientError):
        return isinstance(error, ConnectionError | HTTPClientError | ChecksumError)
    if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500 or error.response["Error"]["Code"] in _SOON:
        return True
    codes = {reason.get("Code", "None") for reason in error.response.get("CancellationReasons", [])} - {"None"}
    return bool(codes) and codes <= _SOON_WITHIN


def storage_error(error: Failure) -> CommonplaceError:
    """Convert a DynamoDB failure to an error without DynamoDB's own message, which may quote data."""
    if is_transient(error):
        return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy or can't be reached; try again")
    kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the record store can't be used: {kind}")


_SECONDS = 5.0


def connect(region: str, endpoint_url: str | None = None, seconds: float = 3.0) -> "DynamoDBClient":
    """Create a thread-safe client that does not retry. `seconds` is the timeout for reading an answer."""
    config = Config(
        retries={"total_max_attempts": 1},
        connect_timeout=1,
        read_timeout=seconds,
        max_pool_connections=32,
        tcp_keepalive=True,
    )
    session: Any = botocore.session.get_session()  # boto3 would only add import time
    client: DynamoDBClient = session.create_client("dynamodb", region_name=region, endpoint_url=endpoint_url, config=config)
    client.meta.events.register("before-parse.dynamodb", _refuse_cut)
    return client


class Table:
    """A DynamoDB table. `remaining` returns how many more seconds the caller may spend."""

    def __init__(self, client: "DynamoDBClient", name: str, remaining: Callable[[], float] = lambda: _SECONDS) -> None:
        self._client, self._name, self._remaining = client, name, remaining

    def calls(self, at_most: float = math.inf) -> Calls:
        """Return a `Calls` object. Its time limit is the caller's remaining time, but at most `at_most` seconds."""
        return Calls(self._client, self._name, time.monotonic() + min(at_most, self._remaining()))

    def pages(self, condition: str, values: Item, after: Item | None = None, **how: Any) -> Iterator[list[Item]]:
        """Yield all pages of a query. Each page has its own deadline."""
        return _all_pages(lambda after: self.calls().page(condition, values, after, **how), after)

    def scan(self, condition: str, values: Item) -> Iterator[list[Item]]:
        """Yield all pages of a scan. Each page has its own deadline."""
        return _all_pages(lambda after: self.calls().scanned(condition, values, after))


def _all_pages(
    read: Callable[[Item | None], tuple[list[Item], Item | None]], after: Item | None = None
) -> Iterator[list[Item]]:
    """Yield all pages after a key. `read` returns a page and the key after which to continue, or None after the last page."""
    while True:
        items, after = read(after)
        yield items
        if after is None:
            return


class TableAdapter:
    def __init__(self, table: Table) -> None:
        self._table = table


def _refuse_cut(response_dict: Mapping[str, Any], **_: object) -> None:
    """Reject truncated responses. When retries are off, botocore skips this check and reads such responses as empty."""
    length = response_dict["headers"].get("x-amz-crc32")
    if length is not None and int(length) != zlib.crc32(response_dict["body"]):
        raise ChecksumError(checksum_type="crc32", expected_checksum=length, actual_checksum="another")
