"""A search through the Lambda handler, over a real OpenSearch node and DynamoDB Local; and with no index at all."""

import argparse
import os
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from contextlib import redirect_stdout
from itertools import cycle, islice
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from benchmarks.cloud_in_a_box import cloud, fill, memories, refuse_degraded, request, user
from benchmarks.cloud_upkeep import footprint, reindexed, visible
from benchmarks.report import Cell, Table, main
from commonplace.interfaces.aws import container
from training.many import QUESTIONS

_CALLS = 400
_MANY = 100_000
_LATENCY = ("memories", "users", "clients", "p50 ms", "p95 ms", "max ms", "calls/s")


def measure(_: argparse.Namespace) -> list[Table]:
    """Users of a fixed size beside more and more others, one large user, and the choice without a domain."""
    return [*_growing(), _one_user(), _without_index()]


def _growing() -> list[Table]:
    """100 memories a user, ever more users; on the largest also indexing again and the way of a write."""
    latency: list[tuple[Cell, ...]] = []
    sizes: list[tuple[Cell, ...]] = []
    upkeep: list[tuple[Cell, ...]] = []
    for total in (1_000, 10_000, _MANY):
        users = total // 100
        with cloud() as settings:
            took = fill(settings, memories(total, users), total)
            latency += [(f"{total:,}", users, clients, *_search(users, clients)) for clients in (1, 8)]
            sizes.append((f"{total:,}", total / took, *footprint(settings, total)))
            if total == _MANY:
                upkeep = [("reindex of 100,000, seconds", reindexed(settings)), *visible(settings, user(0))]
    notes = [
        "The handler runs in this process, and the servers run beside it on the same two cores. Eight clients therefore wait "
        "for each other, which eight functions on Lambda would not do. API Gateway and the network are not included."
    ]
    bound = [
        "The speed is limited by one node's share of two cores, because the k-NN graphs are built while documents arrive."
    ]
    wait = [
        '"Change to found" is the time until the index has the change and has confirmed it. On Lambda, the time for polling '
        "the stream is added."
    ]
    columns = ("memories", "indexed a second", "bytes a memory", "heap in use, MB")
    target = "100,000 of 1,000 users, 1 client: p95 <= 50 ms"
    return [
        Table("A search through the handler, 100 memories a user", _LATENCY, latency, target, notes),
        Table("The index as it grows", columns, sizes, "", bound),
        Table(
            "Keeping the index up to date",
            ("what", "figure"),
            upkeep,
            "own writes missed: 0; change to found: p95 <= 1,500 ms",
            wait,
        ),
    ]


def _one_user() -> Table:
    with cloud() as settings:
        fill(settings, memories(_MANY, 1), _MANY)
        rows: list[tuple[Cell, ...]] = [(f"{_MANY:,}", 1, 1, *_search(1, 1, 60))]
    return Table("A search through the handler, if one user has all memories", _LATENCY, rows)


def _without_index() -> Table:
    rows: list[tuple[Cell, ...]] = []
    for count in (100, 500, 2_000):
        with cloud(indexed=False) as settings:
            fill(settings, memories(count, 1), count)
            rows.append((f"{count:,}", *_search(1, 1), _read_units()))
    columns = ("memories of the user", "p50 ms", "p95 ms", "max ms", "calls/s", "units a search")
    return Table("No domain: every search reads the user's records", columns, rows)


def _search(users: int, clients: int, calls: int = _CALLS) -> tuple[float, float, float, float]:
    """p50, p95, max in ms and calls a second, of searches by users in turn."""
    from functions.search.app import handler

    container.settings.cache_clear()
    container.store.cache_clear()
    asked = [_event(user(number * 37 % users), question) for number, question in _questions(calls)]
    with Path(os.devnull).open("w") as unread, redirect_stdout(unread):  # each call logs, as on Lambda
        for event in asked[:20]:
            _called(handler, event)
        begun = time.perf_counter()
        with ThreadPoolExecutor(clients) as pool:
            times = list(pool.map(lambda event: _timed(handler, event), asked))
        took = time.perf_counter() - begun
    p50, p95 = np.percentile(times, [50, 95])
    return float(p50), float(p95), max(times), len(asked) / took


def _questions(count: int) -> Iterable[tuple[int, str]]:
    return enumerate(islice(cycle(QUESTIONS), count))


def _event(user_id: str, question: str) -> dict[str, Any]:
    return request(user_id, "search_memory", {"query": question})


def _timed(handler: Callable[..., Any], event: dict[str, Any]) -> float:
    begun = time.perf_counter()
    _called(handler, event)
    return (time.perf_counter() - begun) * 1000


def _called(handler: Callable[..., Any], event: dict[str, Any]) -> None:
    context = SimpleNamespace(
        client_context=None, aws_request_id="bench", function_name="search", get_remaining_time_in_millis=lambda: 10_000
    )
    refuse_degraded(handler(event, context))


def _read_units() -> float:
    """Capacity units of one search, its one write of usage included (1), as DynamoDB counts them; the mean of twenty."""
    from functions.search.app import handler

    units: list[float] = []
    client = container.ports().records._table._client  # type: ignore[attr-defined]  # the one that the function uses
    client.meta.events.register("provide-client-params.dynamodb", lambda params, **_: _counting(params))
    client.meta.events.register("after-call.dynamodb", lambda parsed, **_: units.extend(_units(parsed)))
    for _, question in _questions(20):
        _called(handler, _event(user(0), question))
    return sum(units) / 20


def _counting(params: dict[str, Any]) -> dict[str, Any]:
    return {**params, "ReturnConsumedCapacity": "TOTAL"}


def _units(parsed: dict[str, Any]) -> list[float]:
    found = parsed.get("ConsumedCapacity") or []
    return [one["CapacityUnits"] for one in (found if isinstance(found, list) else [found])]


if __name__ == "__main__":
    main("cloud_latency", "The cloud: a search through the handler", measure, False)
