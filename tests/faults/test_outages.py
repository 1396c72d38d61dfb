"""OpenSearch killed, down, slow, red, its index deleted: searches go on, and once it is back all is found by itself."""

import threading
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from opensearchpy import OpenSearch as Client

from cloud import faults
from cloud.listener import Cut, Request, Response
from cloud.opensearch import OpenSearch
from cloud.proxy import Fault, FaultProxy, Forward
from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.rebuild import OpenSearchWriter, set_up
from commonplace.bootstrap.cloud import open_cloud
from commonplace.indexing.stream import NoIndex
from commonplace.ports.values import Audit, IndexChange, IndexOutcome
from tests.conftest import NOON
from tests.dynamodb_entries import entry
from tests.faults.conftest import Open, Streaming, Tell
from tests.faults.world import World, said_of, wait_until
from tests.integration.test_opensearch_writing import stored
from tests.opensearch_indices import LAYOUT

pytestmark = pytest.mark.integration

IN_TIME = 8.0  # seconds for a search without its index, on a busy machine; Lambda gives it 29


@pytest.fixture(scope="module")
def node(opensearch_url: str) -> Iterator[OpenSearch]:
    """A node that may die: nobody else uses it."""
    with OpenSearch(heap="512m") as server:
        yield server


@pytest.fixture
def proxy(node: OpenSearch) -> Iterator[FaultProxy]:
    with FaultProxy(node.url) as proxy:
        yield proxy


@pytest.fixture
def client(node: OpenSearch) -> Iterator[Client]:
    """Past the proxy."""
    client = connect(node.url, seconds=30)
    yield client
    client.close()


@pytest.fixture
def world(open_world: Open, streaming: Streaming, proxy: FaultProxy, client: Client) -> World:
    alias = f"faults-{uuid.uuid4().hex[:12]}"
    set_up(client, LAYOUT, alias)
    return open_world(streaming, client, alias, opensearch=proxy.url)


def killing(node: OpenSearch, after: float) -> Fault:
    """The node dies while it works on the request."""

    def fault(request: Request, forward: Forward) -> Response:
        def hand_on() -> None:
            with suppress(Cut):
                forward(request)

        working = threading.Thread(target=hand_on)
        working.start()
        time.sleep(after)
        assert working.is_alive(), "the request was done before the node died"
        node.kill()
        working.join()
        raise Cut

    return fault


def test_killed_in_the_middle_of_a_bulk(
    world: World, node: OpenSearch, proxy: FaultProxy, streaming: Streaming, tell: Tell
) -> None:
    users = world.users(6)
    world.store_all(users, 0, 20)
    proxy.plan(killing(node, 0.03), faults.is_bulk)
    with world.following(streaming.stream):
        wait_until(lambda: not node.answers(), "it was not killed")
        world.store_all(users, 20, 5)
        degraded = [world.search(user, said_of(user, number)) for user in users for number in (3, 22)]
        node.start()
        world.settled()
    told = world.balance()
    tell(f"{told}; searches while it was down {len(degraded)}")
    assert all("degraded" in body["notes"] and body["results"] for body in degraded)
    assert world.statuses.keys() == {200}
    assert told.sound, told
    assert told.answered == 150
    assert "notes" not in world.search(users[0], said_of(users[0], 3))


def test_a_node_has_what_it_confirmed_after_a_kill(node: OpenSearch, client: Client) -> None:
    client.indices.create(index="kept", body={"settings": {"number_of_replicas": 0}})
    client.index(index="kept", id="1", body={"a": 1})
    node.kill()
    assert not node.answers()
    node.start()
    assert client.get(index="kept", id="1")["_source"] == {"a": 1}


def test_bulks_answered_half_429(world: World, proxy: FaultProxy, streaming: Streaming, tell: Tell) -> None:
    users = world.users(4)
    proxy.plan(faults.half_rejected, faults.is_bulk, times=4)
    world.store_all(users, 0, 15)
    with world.following(streaming.stream):
        world.settled()
    told, bulks = world.balance(), sum(faults.is_bulk(request) for request in proxy.seen)
    tell(f"{told}; bulks {bulks}, of which answered half 429: 4")
    assert told.sound, told
    assert bulks > 4


def down(proxy: FaultProxy) -> None:
    proxy.refuse()


def slow(proxy: FaultProxy) -> None:
    proxy.plan(faults.delay(3.0), times=None)


@pytest.mark.parametrize("breaks", [pytest.param(down, marks=pytest.mark.sample), slow], ids=lambda each: each.__name__)
def test_a_search_answers_in_time_from_the_records_and_all_is_found_once_it_is_back(
    breaks: Callable[..., None], world: World, proxy: FaultProxy, streaming: Streaming, tell: Tell
) -> None:
    users = world.users(2)
    world.store_all(users, 0, 5)
    with world.following(streaming.stream):
        world.settled()
        breaks(proxy)
        longest = seconds_without_an_index(world, users)
        proxy.heal()
        world.settled()
    told = world.balance()
    tell(f"{told}; longest degraded search {longest:.2f} s")
    assert told.sound, told
    assert "notes" not in world.search(users[0], said_of(users[0], 1))


def test_red_from_the_start_and_green_later(world: World, client: Client, streaming: Streaming, tell: Tell) -> None:
    index, users = f"{world.settings.index_alias}-v1", world.users(2)
    client.indices.delete(index=index)
    nowhere = {"index.routing.allocation.require._name": "nobody"}
    body = {"settings": nowhere, "aliases": {world.settings.index_alias: {}}}
    client.indices.create(index=index, body=body, params={"wait_for_active_shards": "0"})
    assert client.cluster.health(index=index)["status"] == "red"
    world.store_all(users, 0, 5)
    with world.following(streaming.stream):
        longest = seconds_without_an_index(world, users)
        client.indices.put_settings(index=index, body=dict.fromkeys(nowhere))
        world.settled()
    told = world.balance()
    tell(f"{told}; longest degraded search {longest:.2f} s")
    assert told.sound, told
    assert "notes" not in world.search(users[0], said_of(users[0], 1))


def seconds_without_an_index(world: World, users: list[str]) -> float:
    """Stores one more and searches for old and new: each is told, found, and in time. Gives the longest search."""
    took: list[float] = []
    for user in users:
        assert "degraded" in world.store(user, said_of(user, 5))["notes"]
        for number in (0, 5):
            began = time.monotonic()
            found = world.search(user, said_of(user, number))
            took.append(time.monotonic() - began)
            assert "degraded" in found["notes"]
            assert found["results"][0]["id"] == world.ledger[user][said_of(user, number)]
    assert max(took) < IN_TIME
    return max(took)


def test_past_two_thousand_a_degraded_search_says_that_it_is_partial(open_world: Open, tell: Tell) -> None:
    world = open_world(opensearch="http://127.0.0.1:9")  # nobody is there
    (user,) = world.users(1)
    ids = [f"mem_{number:026d}" for number in range(2_010)]
    entries = [entry(said_of(user, number), user, memory_id=memory_id) for number, memory_id in enumerate(ids)]
    world.records.add(entries)
    took: list[float] = []
    for number in (2_009, 1):
        began = time.monotonic()
        found = world.search(user, said_of(user, number))
        took.append(time.monotonic() - began)
        assert {"degraded", "partial"} == found["notes"].keys()
        assert (ids[number] in [hit["id"] for hit in found["results"]]) == (number == 2_009)
    tell(f"two searches of 2,010 memories {took[0]:.2f} s and {took[1]:.2f} s")
    assert max(took) < IN_TIME


@pytest.mark.parametrize(
    ("breaks", "mends"),
    [
        ({"index.blocks.write": True}, {"index.blocks.write": None}),
        ({"index.blocks.read_only": True}, {"index.blocks.read_only": None}),
        ("close", "open"),
    ],
    ids=["write-blocked", "read-only", "closed"],
)
def test_what_is_wrong_with_the_index_is_no_fault_of_the_change(
    breaks: Any, mends: Any, opensearch_client: Client, new_index: str
) -> None:
    def do(what: Any) -> None:
        if isinstance(what, str):
            getattr(opensearch_client.indices, what)(index=new_index)
        else:
            opensearch_client.indices.put_settings(index=new_index, body=what)

    writer = OpenSearchWriter(opensearch_client, new_index)
    do(breaks)
    assert [outcome.state for outcome in writer.put([stored("a", "tea")])] == ["retry"]
    do(mends)
    assert [outcome.state for outcome in writer.put([stored("a", "tea")])] == ["done"]


class Dropped(NoIndex):
    """No index, and how many changes it has let go."""

    def __init__(self) -> None:
        self.changes = 0

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        self.changes += len(changes)
        return super().put(changes)


def test_a_domain_that_came_later(
    open_world: Open, streaming: Streaming, opensearch_client: Client, new_index: str, tell: Tell
) -> None:
    opensearch_client.indices.delete(index=f"{new_index}-v1")
    world, before = open_world(streaming, opensearch_client, new_index), Dropped()
    users, (ports, upkeep) = world.users(4), (world.ports, world.upkeep)
    bare = world.settings.model_copy(update={"search_endpoint": None})
    world.ports, world.upkeep = open_cloud(bare, lambda: 20.0).ports, replace(upkeep, writer=before)
    with world.following(streaming.stream):
        world.store_all(users, 0, 10)
        wait_until(lambda: before.changes >= 40, "the stream is not followed")
    world.ports, world.upkeep = ports, upkeep
    assert not upkeep.set_up()
    with world.following(streaming.stream):
        world.store_all(users, 10, 5)
        for user in users:
            gone = next(one for one in world.records.all(user) if one.content == said_of(user, 9))
            world.records.update(gone.model_copy(update={"version": 2, "status": "deleted"}), Audit("delete", NOON, {}))
            del world.ledger[user][gone.content]
        found = [world.search(user, said_of(user, number)) for user in users for number in (2, 12)]
        assert not opensearch_client.indices.exists_alias(name=new_index)
        world.reindex(lambda _done: world.store_all(users, 15, 2))
        world.settled()
    told = world.balance()
    tell(f"{told}; searches before the reindex {len(found)}")
    assert all("degraded" in body["notes"] and body["results"] for body in found)
    assert told.sound, told
    assert "notes" not in world.search(users[0], said_of(users[0], 1))
    assert upkeep.set_up()


def test_the_index_deleted(world: World, client: Client, streaming: Streaming, tell: Tell) -> None:
    users = world.users(4)
    world.store_all(users, 0, 10)
    with world.following(streaming.stream):
        world.settled()
        client.indices.delete(index=f"{world.settings.index_alias}-v1")
        world.store_all(users, 10, 5)
        found = [world.search(user, said_of(user, number)) for user in users for number in (2, 12)]
        world.reindex()
        world.settled()
    told = world.balance()
    tell(f"{told}; searches without an index {len(found)}")
    assert all("degraded" in body["notes"] and body["results"] for body in found)
    assert told.sound, told
    assert "notes" not in world.search(users[0], said_of(users[0], 1))
