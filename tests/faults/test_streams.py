"""The stream duplicated, reordered, cut and poisoned, and one that is gone: the index ends as the table is."""

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

import boto3
import pytest
from opensearchpy import OpenSearch

from cloud import faults
from cloud.invoking import Context
from cloud.proxy import FaultProxy
from cloud.stream import as_lambda_has_it
from commonplace.adapters.dynamodb.calls import connect
from commonplace.adapters.opensearch.rebuild import OpenSearchContents
from commonplace.interfaces.aws import container, index_functions
from commonplace.ports.values import Audit, DeadLetter
from commonplace.retrieval.documents import digest
from tests.conftest import NOON
from tests.faults.conftest import Open, Streaming, Tell
from tests.faults.world import REGION, World

pytestmark = pytest.mark.integration


def records_of(streaming: Streaming, users: Sequence[str]) -> list[dict[str, Any]]:
    """What the stream holds of these users' memories, as Lambda would get it."""
    client = boto3.client("dynamodbstreams", region_name=REGION, endpoint_url=streaming.url)
    found = []
    for shard in client.describe_stream(StreamArn=streaming.stream)["StreamDescription"]["Shards"]:
        iterator = client.get_shard_iterator(
            StreamArn=streaming.stream, ShardId=shard["ShardId"], ShardIteratorType="TRIM_HORIZON"
        )["ShardIterator"]  # fmt: skip
        while iterator:
            page = client.get_records(ShardIterator=iterator)
            found += [as_lambda_has_it(record, streaming.stream) for record in page["Records"]]
            iterator = page.get("NextShardIterator") if page["Records"] else None
    keys = [record["dynamodb"]["Keys"] for record in found]
    return [
        record
        for record, key in zip(found, keys, strict=True)
        if key["user"]["S"] in users and key["item"]["S"].startswith("memory#")
    ]


def change_some(world: World, users: Sequence[str]) -> None:
    """A third is changed twice, a third deleted."""
    for user in users:
        for number, memory in enumerate(list(world.records.all(user))):
            for version in (2, 3):
                if number % 3 == 0:
                    changed = memory.model_copy(update={"version": version, "importance": version / 10})
                    world.records.update(changed, Audit("change", NOON, {}))
            if number % 3 == 1:
                world.records.update(memory.model_copy(update={"version": 2, "status": "deleted"}), Audit("delete", NOON, {}))
                del world.ledger[user][memory.content]


def unlike(world: World, users: Sequence[str], client: OpenSearch, alias: str) -> int:
    """How many records the index holds in another version, or not at all."""
    records = [
        stored
        for user in users
        for stored in world.records.stored(user, [memory.memory_id for memory in world.records.all(user)])
    ]
    held = OpenSearchContents(client, alias).look_up(records)
    return sum(
        document is None or (document.version, document.digest) != (stored.memory.version, digest(stored.memory))
        for document, stored in zip(held, records, strict=True)
    )


def handed_over(batch: Sequence[dict[str, Any]]) -> int:
    """How many of a batch are to come again."""
    return len(index_functions.index({"Records": list(batch)}, Context("index"))["batchItemFailures"])


def test_batches_duplicated_reordered_and_cut(
    open_world: Open, streaming: Streaming, opensearch_client: OpenSearch, tell: Tell
) -> None:
    world = open_world(streaming)
    users, chance = world.users(5), random.Random(5)
    world.store_all(users, 0, 12)
    change_some(world, users)
    records = records_of(streaming, users)
    assert len(records) == 5 * (12 + 8 + 4)
    events = records + chance.sample(records, 60)
    chance.shuffle(events)
    cuts = [0, *sorted(chance.sample(range(1, len(events)), 9)), len(events)]
    batches = [events[start:end] for start, end in itertools.pairwise(cuts)]
    seen_twice = [batch[: len(batch) // 2] for batch in batches[::3]]  # the function died there, and all came again
    again = sum(handed_over(batch) for batch in (*seen_twice, *batches))
    told = world.balance()
    other = unlike(world, users, opensearch_client, world.settings.index_alias)
    tell(f"{told}; events {len(events)} of {len(records)} changes in {len(batches)} batches, unlike the table {other}")
    assert again == other == 0
    assert told.sound, told


def test_poison_holds_nothing_up(open_world: Open, streaming: Streaming, monkeypatch: pytest.MonkeyPatch, tell: Tell) -> None:
    world = open_world(streaming)
    letters: list[DeadLetter] = []

    class Kept:
        def send(self, told: Sequence[DeadLetter]) -> None:
            letters.extend(told)

    kept = replace(world.upkeep, letters=Kept())
    monkeypatch.setattr(container, "projector", lambda: kept)
    users = world.users(3)
    world.store_all(users, 0, 5)
    poison = {"user": {"S": "faults|poison"}, "item": {"S": "memory#poison"}, "record": {"S": '{"raw_text": "Zanzibar"'}}
    connect(REGION, streaming.url).put_item(TableName=streaming.table, Item=poison)
    world.store_all(users, 5, 5)
    with world.following(streaming.stream):
        world.settled()
    told = world.balance()
    tell(f"{told}; set aside {len(letters)}")
    assert told.sound, told
    assert [(letter.user_id, letter.item) for letter in letters] == [("faults|poison", "memory#poison")]
    assert "Zanzibar" not in str(letters)


def test_an_outage_longer_than_the_stream_keeps(
    open_world: Open, opensearch_url: str, opensearch_client: OpenSearch, monkeypatch: pytest.MonkeyPatch, tell: Tell
) -> None:
    with FaultProxy(opensearch_url) as proxy:
        world = open_world(opensearch=proxy.url)  # its table has no stream: nothing will ever come
        users = world.users(6)
        proxy.refuse()
        world.store_all(users, 0, 12)
        change_some(world, users)
        monkeypatch.setattr(index_functions, "_TOO_LONG", timedelta(seconds=-60))
        runs = [reconciled()]
        proxy.heal()
        proxy.plan(faults.half_rejected, faults.is_bulk)
        runs += [reconciled(), reconciled(), reconciled()]
        told = world.balance()
    other = unlike(world, users, opensearch_client, world.settings.index_alias)
    tell(f"{told}; runs of reconcile {', '.join(str(dict(run)) for run in runs)}, unlike the table {other}")
    assert runs == [{"retry": 72}, {"retry": 36, "done": 36}, {"done": 36}, {}]
    assert other == 0
    assert told.sound, told


def reconciled() -> Counter[str]:
    counts = index_functions.reconcile({}, Context("reconcile"))
    return Counter({name: count for name, count in counts.items() if name != "folded"})
