"""Defines the names, keys and TTL of the table, and the actions in a transaction."""

import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

USER: Final = "user"
ITEM: Final = "item"
PURGE_AT: Final = "purge_at"
QUEUE: Final = "queue"
SINCE: Final = "since"
WAITING: Final = "waiting"

MEMORY: Final = "memory#"
CONTENT: Final = "content#"
KEY: Final = "key#"
AUDIT: Final = "audit#"
PENDING: Final = "pending#"
OPERATION: Final = "operation#"
ALIAS: Final = "alias#"
FEEDBACK: Final = "feedback#"
DOCUMENT: Final = "document#"
DOCUMENT_VERSION: Final = "document_version#"
INTERACTION: Final = "interaction#"
TODO: Final = "todo#"
READ: Final = "read#"
DUE: Final = "due"
RUN: Final = "run#"
RUNNING: Final = "running"
PART: Final = "part#"
OVERFLOW: Final = "rest#"
LEASE: Final = "lease"
TAG_ROWS: Final = "tags"
USED: Final = "used#"
USAGE: Final = "usage#"
SEARCHED: Final = "searched#"
BUDGET: Final = "budget#"
ERASED: Final = "erased#"
"""`USAGE`, `SEARCHED`, `BUDGET` and `ERASED` start partition keys. The other prefixes start sort keys."""

KEYS: Final = {
    "KeySchema": [{"AttributeName": USER, "KeyType": "HASH"}, {"AttributeName": ITEM, "KeyType": "RANGE"}],
    "AttributeDefinitions": [
        {"AttributeName": USER, "AttributeType": "S"},
        {"AttributeName": ITEM, "AttributeType": "S"},
        {"AttributeName": QUEUE, "AttributeType": "S"},
        {"AttributeName": SINCE, "AttributeType": "N"},
    ],
    "GlobalSecondaryIndexes": [
        {
            "IndexName": WAITING,
            "KeySchema": [{"AttributeName": QUEUE, "KeyType": "HASH"}, {"AttributeName": SINCE, "KeyType": "RANGE"}],
            "Projection": {"ProjectionType": "KEYS_ONLY"},
        }
    ],
}
STREAM: Final = {"StreamEnabled": True, "StreamViewType": "NEW_AND_OLD_IMAGES"}
_QUEUES = 8
Item = Mapping[str, Any]
"""The attributes of an item in DynamoDB's format, for example `{"version": {"N": "1"}}`."""

ABSENT = f"attribute_not_exists(#{ITEM})"
PRESENT = f"attribute_exists(#{ITEM})"
_NAME = re.compile(r"#(\w+)")


def queue_of(kind: str, name: str) -> str:
    """Return the queue for a row. `kind` is `PENDING`, `USAGE` or `DUE`. `name` is a memory id or a user id."""
    return f"{kind}{zlib.crc32(name.encode()) % _QUEUES}"


def queues(kind: str) -> list[str]:
    """Return the names of all queues of a kind."""
    return [f"{kind}{number}" for number in range(_QUEUES)]


def create_table(client: "DynamoDBClient", name: str, stream: bool = True) -> None:
    """Create the table on a local server and wait until it exists. `stream` adds a stream, which slows DynamoDB Local."""
    definition: dict[str, Any] = {**KEYS, "BillingMode": "PAY_PER_REQUEST"}
    if stream:
        definition["StreamSpecification"] = STREAM
    client.create_table(TableName=name, **definition)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": PURGE_AT})


@dataclass(frozen=True)
class Action:
    """An action in a transaction. A `Put` writes the whole `item`, and the other kinds use only its key."""

    kind: Literal["Put", "Update", "Delete", "ConditionCheck"]
    item: Item
    condition: str | None = None
    values: Item | None = None
    change: str | None = None
    """The update expression."""

    @property
    def name(self) -> str:
        """The sort key of the item."""
        return str(self.item[ITEM]["S"])

    @property
    def size(self) -> int:
        """The approximate size of the item in bytes."""
        return sum(len(name) + _compute_value_size(value) for name, value in self.item.items()) + 100

    def on(self, table: str) -> dict[str, Any]:
        """Return the action as an entry of `TransactItems`."""
        fields: dict[str, Any] = {"TableName": table}
        if self.kind == "Put":
            fields["Item"] = self.item
        else:
            fields["Key"] = {USER: self.item[USER], ITEM: self.item[ITEM]}
        if self.change is not None:
            fields["UpdateExpression"] = self.change
        if self.condition is not None:
            fields["ConditionExpression"] = self.condition
            fields["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        names = names_in(f"{self.change or ''} {self.condition or ''}")
        if names:
            fields["ExpressionAttributeNames"] = names
        if self.values:
            fields["ExpressionAttributeValues"] = self.values
        return {self.kind: fields}


def names_in(expression: str) -> dict[str, str]:
    """Return the attribute names in an expression, as `ExpressionAttributeNames`."""
    return {f"#{name}": name for name in _NAME.findall(expression)}


def _compute_value_size(value: Mapping[str, Any]) -> int:
    ((_, inner),) = value.items()
    return len(inner.encode()) if isinstance(inner, str) else len(inner)
