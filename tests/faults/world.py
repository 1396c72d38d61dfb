"""A deployment over real servers, a ledger of every write that was answered, and the balance at the end."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any, Literal

import boto3
from opensearchpy import OpenSearch

from cloud.stream import Poller
from cloud.template import Template
from commonplace.adapters.dynamodb.calls import Table, connect
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.bootstrap import cloud, local, maintenance
from commonplace.indexing import rebuild
from commonplace.interfaces.aws import index_functions
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases import dispatch

REGION: Literal["eu-central-1"] = "eu-central-1"
_PATIENCE = 60.0  # seconds
_PLACES = "cellar attic kitchen garden garage office hallway library workshop balcony".split()
_CHECKPOINTS: dict[str, str] = {}  # of the one stream that all these tests share


@dataclass(frozen=True)
class Balance:
    """What was answered, and what there is of it: all but the first and `searches` must be 0."""

    answered: int
    searches: int = 0
    missing: int = 0
    doubled: int = 0
    not_found: int = 0
    of_others: int = 0
    not_indexed: int = 0
    pending: int = 0

    def __str__(self) -> str:
        return ", ".join(f"{field.name.replace('_', ' ')} {getattr(self, field.name)}" for field in fields(self))

    @property
    def sound(self) -> bool:
        """Whether nothing is wrong."""
        return self == Balance(self.answered, self.searches)


class World:
    """The functions' ports and upkeep, and straight ways to table and index for looking at them from outside."""

    def __init__(self, table: str, opensearch: str, alias: str, index: OpenSearch, dynamodb: str, name: str) -> None:
        self.settings = Settings(table=table, search_endpoint=opensearch, index_alias=alias, region=REGION)
        self.ports = cloud.open_cloud(self.settings, lambda: 20.0).ports
        self.upkeep = maintenance.open_projector(self.settings, lambda: 20.0)
        straight = Table(connect(REGION, dynamodb, 30), table, lambda: 30.0)
        self.records, self.pending = DynamoRecords(straight), DynamoPending(straight)
        self.ledger: dict[str, dict[str, str]] = {}
        """By user: what was said and answered, and under which id."""
        self.statuses: Counter[int] = Counter()
        self._index, self._alias, self._dynamodb, self._name = index, alias, dynamodb, name
        self._lock = threading.Lock()

    def users(self, count: int) -> list[str]:
        """Users of this test alone."""
        return [f"faults|{self._name} {number}" for number in range(count)]

    def call(self, tool: str, user_id: str, skew: float = 0.0, **arguments: Any) -> tuple[int, Any]:
        """Status and body of a tool call; `skew`: how far the function's clock is ahead, in seconds."""
        now = datetime.fromtimestamp(time.time() + skew, UTC)
        status, body = dispatch.answer(tool, arguments, Caller(user_id, now), self.ports)
        with self._lock:
            self.statuses[status] += 1
        return status, body

    def store(self, user_id: str, text: str, skew: float = 0.0) -> Any:
        """Stores by the tool; what is answered goes into the ledger."""
        status, body = self.call("store_memory", user_id, skew, content=text)
        if status == 200:
            self.answered(user_id, text, body["memory_id"])
        return body

    def answered(self, user_id: str, text: str, memory_id: str) -> None:
        """Puts a write into the ledger."""
        with self._lock:
            before = self.ledger.setdefault(user_id, {}).setdefault(text, memory_id)
        assert before == memory_id, "the same text was answered with two ids"

    def store_all(self, users: Sequence[str], first: int, count: int, threads: int = 6) -> None:
        """Each of the users stores so many texts, many at once."""
        said = [(user, said_of(user, number)) for number in range(first, first + count) for user in users]
        with ThreadPoolExecutor(threads) as pool:
            list(pool.map(lambda one: self.store(*one), said))

    def search(self, user_id: str, query: str) -> Any:
        """What the tool answers; it must answer."""
        status, body = self.call("search_memory", user_id, query=query, limit=20)
        assert status == 200, body
        return body

    @contextmanager
    def following(self, stream: str) -> Iterator[None]:
        """The index function gets the stream, as the template says how."""
        client = boto3.client("dynamodbstreams", region_name=REGION, endpoint_url=self._dynamodb)
        source = Template().sources["index"]
        with Poller(client, stream, index_functions.index, source, checkpoints=_CHECKPOINTS):
            yield

    def reindex(self, progress: Callable[[int], None] = lambda _done: None) -> None:
        """The index made again from the table, as the command does."""
        rebuilt = maintenance.open_maintenance(self.settings)
        renewal = rebuild.EmbeddingRenewal(rebuilt.records, rebuilt.embedder, local.local_clock("UTC"))
        rebuild.reindex(rebuilt.everything, rebuilt.rebuild, renewal, progress)

    def settled(self) -> None:
        """Waits until nothing is pending any more."""
        wait_until(lambda: not self._pending(), f"{self._pending()} are still pending")

    def balance(self, most: int = 80) -> Balance:
        """Looks at everything that was answered: in the table, in the index, and by up to `most` searches."""
        active = {user: [one for one in self.records.all(user) if one.status == "active"] for user in self.ledger}
        ids = {one.memory_id for memories in active.values() for one in memories}
        texts = Counter((user, one.content) for user, memories in active.items() for one in memories)
        answered = [(user, text, memory_id) for user, told in self.ledger.items() for text, memory_id in told.items()]
        with ThreadPoolExecutor(4) as pool:
            asked = answered[:: -(-len(answered) // most)]
            hits = list(pool.map(lambda one: {hit["id"] for hit in self.search(one[0], one[1])["results"]}, asked))
        own = {user: {one.memory_id for one in memories} for user, memories in active.items()}
        return Balance(
            answered=len(answered),
            searches=len(asked),
            missing=sum(memory_id not in ids for *_, memory_id in answered),
            doubled=sum(count - 1 for count in texts.values()),
            not_found=sum(memory_id not in found for (*_, memory_id), found in zip(asked, hits, strict=True)),
            of_others=sum(len(found - own[user]) for (user, *_), found in zip(asked, hits, strict=True)),
            not_indexed=len(ids ^ self._indexed()),
            pending=self._pending(),
        )

    def _pending(self) -> int:
        return sum(len(self.pending.pending(user)[0]) for user in self.ledger)

    def documents(self, user_id: str) -> int:
        """How many documents with words the index holds of a user, closed ones too; a tombstone has none."""
        self._index.indices.refresh(index=self._alias)
        held = {"filter": [{"term": {"user_id": user_id}}], "must_not": [{"term": {"status": "purged"}}]}
        body = {"query": {"bool": held}}
        return int(self._index.count(index=self._alias, body=body)["count"])

    def _indexed(self) -> set[str]:
        """Ids of the active documents of these users."""
        self._index.indices.refresh(index=self._alias)
        wanted = [{"terms": {"user_id": list(self.ledger)}}, {"term": {"status": "active"}}]
        body = {"query": {"bool": {"filter": wanted}}, "_source": False, "size": 5_000}
        return {hit["_id"] for hit in self._index.search(index=self._alias, body=body)["hits"]["hits"]}


def said_of(user_id: str, number: int) -> str:
    """What a user says: to nobody else the same, and by one word to be told from all others."""
    who = "".join(letter for letter in user_id if letter.isalnum())[-6:]
    return f"The box zq{number}{who} with the old letters is in the {_PLACES[number % 10]}."


def wait_until(holds: Callable[[], bool], why: str = "") -> None:
    """Waits, and no longer than a minute."""
    until = time.monotonic() + _PATIENCE
    while not holds():
        assert time.monotonic() < until, why
        time.sleep(0.1)
