"""Calls to one table that share a deadline, transient failures tried again until then; and the client of the table, shared by
all threads, with its timeouts."""

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
"""In one transaction."""
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 0.5
_KEYS_PER_CALL = 100
_DELETES_PER_CALL = 10  # of 400 KB each, in a transaction of 4 MB
Failure = ClientError | BotoCoreError
_REFUSED = "ConditionalCheckFailed"
_SOON = {
    "ProvisionedThroughputExceededException",
    "RequestLimitExceeded",
    "ThrottlingException",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_SOON_WITHIN = {"ProvisionedThroughputExceeded", "ThrottlingError", "TransactionConflict"}


@dataclass(frozen=True)
class Refusal:
    """An action of a transaction whose condition didn't hold: its place, and the item that was there, {} for none."""

    place: int
    item: dict[str, Any]


class Calls:
    """The calls that adapters make to the table; each raises `STORAGE_UNAVAILABLE` when it does not succeed in time."""

    def __init__(self, client: "DynamoDBClient", name: str, until: float) -> None:
        self._client, self._name, self._until = client, name, until

    def wait(self, attempt: int) -> None:
        """A pause before the next attempt, longer with each and never the same for two that wait; attempts count from 0."""
        pause = random.uniform(0, min(_LONGEST_PAUSE, _FIRST_PAUSE * 2 ** min(attempt, 10)))
        if time.monotonic() + pause >= self._until:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy; try again")
        time.sleep(pause)

    def transact(self, actions: Sequence[Action]) -> list[Refusal]:
        """Writes all or nothing, once: what refused it by a condition, or nothing when it is written."""
        token = str(uuid.uuid4())  # an attempt whose answer was lost is known again by it
        whole: list[Any] = [action.on(self._name) for action in actions]
        try:
            self._with_retries(lambda: self._client.transact_write_items(TransactItems=whole, ClientRequestToken=token))
        except ClientError as error:
            return refusals(error)
        return []

    def transact_all(self, actions: Sequence[Action]) -> None:
        """Writes any number of actions without conditions, a hundred at once."""
        for batch in in_batches(actions, MOST_ACTIONS):
            self.transact(batch)

    def put(self, item: Item) -> None:
        """Writes one item, whatever was there."""
        self._with_retries(lambda: self._client.put_item(TableName=self._name, Item=item))

    def delete(self, user: str, item: str, condition: str, values: Item) -> None:
        """Deletes an item if it is there and the condition holds."""
        key: Any = key_of(user, item)
        with suppress(ClientError):  # refused: there is nothing to delete
            self._with_retries(
                lambda: self._client.delete_item(
                    TableName=self._name, Key=key, ConditionExpression=condition,
                    ExpressionAttributeNames=names_in(condition), ExpressionAttributeValues=values,
                )
            )  # fmt: skip

    def delete_all(self, keys: Iterable[Item]) -> None:
        """Deletes the items of these keys, so many at once that they may be as heavy as items are."""
        for batch in in_batches(keys, _DELETES_PER_CALL):
            self.transact([Action("Delete", key) for key in batch])

    def update(self, user: str, item: str, change: str, condition: str, values: Item) -> Item | None:
        """Changes an item, and gives what was changed as it is now; None when the condition refuses it."""
        try:
            answer: Any = self._with_retries(
                lambda: self._client.update_item(
                    TableName=self._name, Key=dict(key_of(user, item)),
                    UpdateExpression=change, ConditionExpression=condition,
                    ExpressionAttributeNames=names_in(f"{change} {condition}"), ExpressionAttributeValues=dict(values),
                    ReturnValues="UPDATED_NEW",
                )
            )  # fmt: skip
        except ClientError:
            return None
        found: Item = answer["Attributes"]
        return found

    def get(self, keys: Iterable[tuple[str, str]], attributes: Sequence[str] = ()) -> dict[tuple[str, str], Item]:
        """The items that are there, by user and sort key, strongly consistent; only some attributes of them if named."""
        waiting: list[Any] = [key_of(user, item) for user, item in dict.fromkeys(keys)]
        shown: dict[str, Any] = {}
        if attributes:
            shown["ProjectionExpression"] = ",".join(f"#{name}" for name in (USER, ITEM, *attributes))
            shown["ExpressionAttributeNames"] = names_in(shown["ProjectionExpression"])
        found: dict[tuple[str, str], Item] = {}
        attempt = 0
        while waiting:
            asked: Any = {self._name: {"Keys": waiting[:_KEYS_PER_CALL], "ConsistentRead": True, **shown}}
            answer: Any = self._with_retries(lambda: self._client.batch_get_item(RequestItems=asked))  # noqa: B023 - at once
            items: list[Any] = answer["Responses"].get(self._name, [])
            found |= {(item[USER]["S"], item[ITEM]["S"]): item for item in items}
            left: list[Any] = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
            waiting = [*left, *waiting[_KEYS_PER_CALL:]]
            if left and not items:
                self.wait(attempt)
                attempt += 1
        return found

    def one(self, user: str, item: str) -> Item | None:
        """The item of a key, strongly consistent; None if there is none."""
        return self.get([(user, item)]).get((user, item))

    def page(self, condition: str, values: Item, after: Item | None = None, **how: Any) -> tuple[list[Item], Item | None]:
        """One page of a query (1 MB at the most), and where the next begins."""
        if after is not None:
            how["ExclusiveStartKey"] = after
        names = names_in(condition + how.get("FilterExpression", "") + how.get("ProjectionExpression", ""))
        answer: Any = self._with_retries(
            lambda: self._client.query(
                TableName=self._name, KeyConditionExpression=condition, ExpressionAttributeNames=names,
                ExpressionAttributeValues=values, **how,
            )
        )  # fmt: skip
        return answer["Items"], answer.get("LastEvaluatedKey")

    def pages(self, condition: str, values: Item, **how: Any) -> Iterator[list[Item]]:
        """All pages of a query, within the one deadline."""
        after: Item | None = None
        while True:
            items, after = self.page(condition, values, after, **how)
            yield items
            if after is None:
                return

    def scanned(self, condition: str, values: Item, after: Item | None = None) -> tuple[list[Item], Item | None]:
        """One page of the whole table, strongly consistent: the items that pass, and where the next page begins."""
        how: dict[str, Any] = {} if after is None else {"ExclusiveStartKey": after}
        answer: Any = self._with_retries(
            lambda: self._client.scan(
                TableName=self._name, FilterExpression=condition, ExpressionAttributeNames=names_in(condition),
                ExpressionAttributeValues=values, ConsistentRead=True, **how,
            )
        )  # fmt: skip
        return answer["Items"], answer.get("LastEvaluatedKey")

    def _with_retries(self, call: Callable[[], _T]) -> _T:
        """Calls until it succeeds; a refusal by a condition is raised unchanged: it is an answer."""
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
    """The key of an item."""
    return {USER: {"S": user}, ITEM: {"S": item}}


def partition_condition(user: str, prefix: str = "") -> tuple[str, Mapping[str, Any]]:
    """The condition of a query over the rows of a partition, those that begin so if told, and its values."""
    if not prefix:
        return f"#{USER} = :user", {":user": {"S": user}}
    return f"#{USER} = :user AND begins_with(#{ITEM}, :prefix)", {":user": {"S": user}, ":prefix": {"S": prefix}}


def refusals(error: Failure) -> list[Refusal]:
    """The refused conditions of a write; none when it failed for another reason."""
    if not isinstance(error, ClientError):
        return []
    if error.response["Error"]["Code"] == f"{_REFUSED}Exception":
        return [Refusal(0, {})]
    return [
        Refusal(place, dict(reason.get("Item", {})))
        for place, reason in enumerate(_reasons(error))
        if reason.get("Code") == _REFUSED
    ]


def is_transient(error: Failure) -> bool:
    """Whether the same call may succeed in a moment: throttled, met another transaction, the server was not well, or its
    answer did not arrive whole."""
    if not isinstance(error, ClientError):
        return isinstance(error, ConnectionError | HTTPClientError | ChecksumError)
    if error.response["ResponseMetadata"]["HTTPStatusCode"] >= 500 or error.response["Error"]["Code"] in _SOON:
        return True
    codes = {reason.get("Code", "None") for reason in _reasons(error)} - {"None"}
    return bool(codes) and codes <= _SOON_WITHIN


def storage_error(error: Failure) -> CommonplaceError:
    """The failure in our words: its kind is told, the vendor's own sentence is not, for it may quote data."""
    if is_transient(error):
        return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the record store is busy or can't be reached; try again")
    kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
    return CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the record store can't be used: {kind}")


def _reasons(error: ClientError) -> list[Any]:
    return list(error.response.get("CancellationReasons", []))


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
