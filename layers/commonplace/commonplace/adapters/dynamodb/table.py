"""The table as data: its keys, its names, what goes by itself, and in which order rows wait.

A user is a partition. Their rows, by sort key:

    memory#<memory id>             the record: JSON, vector, version, status, expires_at, purge_at, fingerprint
    content#<fingerprint>          who holds this content: one active, unexpired memory at a time
    key#<hash>                     who holds this key of this collection
    audit#<memory id>#<version>    what made this version of the record
    pending#<memory id>            the index has not confirmed this version yet
    operation#<id>                 changes that were made together: ids, versions and fields as they were
    interaction#<id>               what was recorded, and which run has read it; todo#<time>#<id> lists what is pending,
                                   read#<time>#<id> what was read and still has its text
    due                            the user has something pending
    run#<id>, part#<id>#<name>     a run, and its work so far; `running` names the one that began and did not close
    rest#run#<id>#<ulid>,          what is too long for the row of a run or a part; that row names its own
    rest#part#<id>#<ulid>
    lease                          who may write for a run, by a number that rises
    used#<memory id>               how often it was found and when last; beside the record, so that counting never
                                   raises its version, never meets a user's write, and never enters the stream's filter

and in the partition `usage#<user>` one row per search, until it is folded into `used#`. Rows of `pending#`, `usage#` and
`due` carry `queue` and `since`, and only they: the index `waiting` over them is sparse, and lists them over all users, oldest
first. A queue is spread over several names, since one name takes 1,000 writes a second at the most.
"""

import zlib
from typing import TYPE_CHECKING, Any, Final

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
INTERACTION: Final = "interaction#"
TODO: Final = "todo#"
READ: Final = "read#"
DUE: Final = "due"
RUN: Final = "run#"
RUNNING: Final = "running"
PART: Final = "part#"
REST: Final = "rest#"
LEASE: Final = "lease"
USED: Final = "used#"
USAGE: Final = "usage#"
BUDGET: Final = "budget#"
"""These two begin a partition, where the others begin a sort key: `budget#<day>` counts the tokens of a day."""

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
TIME_TO_LIVE: Final = {"Enabled": True, "AttributeName": PURGE_AT}

_QUEUES = 8


def queue_of(kind: str, name: str) -> str:
    """The queue of `pending#` or `usage#` in which the row of a memory or user waits."""
    return f"{kind}{zlib.crc32(name.encode()) % _QUEUES}"


def queues(kind: str) -> list[str]:
    """All queues of a kind."""
    return [f"{kind}{number}" for number in range(_QUEUES)]


def create_table(client: "DynamoDBClient", name: str, stream: bool = True) -> None:
    """Creates the table as the template does, for servers on this machine, and waits until it is there.

    Without a `stream` for tests: DynamoDB Local grows slow, to a second and more a write, with the streams of tables
    that are gone.
    """
    definition: dict[str, Any] = {**KEYS, "BillingMode": "PAY_PER_REQUEST"}
    if stream:
        definition["StreamSpecification"] = STREAM
    client.create_table(TableName=name, **definition)
    client.get_waiter("table_exists").wait(TableName=name, WaiterConfig={"Delay": 1})
    client.update_time_to_live(TableName=name, TimeToLiveSpecification={"Enabled": True, "AttributeName": PURGE_AT})
