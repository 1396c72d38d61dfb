"""What keeping an index costs: its size and heap, making it again, and how long a write takes to be found."""

import json
import time
import urllib.request
from datetime import UTC, datetime
from typing import Any

import numpy as np

from commonplace.bootstrap.cloud import open_cloud
from commonplace.bootstrap.local import local_clock
from commonplace.bootstrap.maintenance import open_maintenance, open_projector
from commonplace.indexing.rebuild import EmbeddingRenewal, reindex
from commonplace.indexing.stream import project
from commonplace.ports.values import Caller
from commonplace.settings import Settings
from commonplace.use_cases import dispatch

_WRITES = 40


def footprint(settings: Settings, memories: int) -> tuple[float, float]:
    """Bytes of the index per memory, and MB of the node's heap in use."""
    index = _asked(settings, f"/{settings.index_alias}/_stats/store")["_all"]["primaries"]["store"]["size_in_bytes"]
    nodes = _asked(settings, "/_nodes/stats/jvm")["nodes"].values()
    return index / memories, sum(node["jvm"]["mem"]["heap_used_in_bytes"] for node in nodes) / 1e6


def reindexed(settings: Settings) -> float:
    """Seconds that `commonplace reindex` takes."""
    opened = open_maintenance(settings)
    begun = time.perf_counter()
    renewal = EmbeddingRenewal(opened.records, opened.embedder, local_clock("UTC"))
    reindex(opened.everything, opened.rebuild, renewal, _unseen)
    return time.perf_counter() - begun


def _unseen(_done: int) -> None:
    """No bar: it would be a part of what is measured."""


def visible(settings: Settings, user_id: str) -> list[tuple[str, float]]:
    """Searches right after a store that missed it; and how long a change takes until the index has it."""
    ports, upkeep = open_cloud(settings).ports, open_projector(settings)
    missed, waited = 0, []
    for number in range(_WRITES):
        caller = Caller(user_id, datetime.now(UTC))
        text = f"The zebra number {number} is called Zoe{number}."
        stored = dispatch.call("store_memory", {"content": text}, caller, ports).model_dump(mode="json")
        found = dispatch.call("search_memory", {"query": f"who is Zoe{number}"}, caller, ports).model_dump(mode="json")
        missed += stored["memory_id"] not in [hit["id"] for hit in found["results"]]
        ((change,), _) = upkeep.pending.pending(user_id)
        begun = time.perf_counter()
        (outcome,) = project([change], upkeep.writer, upkeep.pending)
        if outcome.state != "done":
            raise RuntimeError(outcome.reason)
        waited.append((time.perf_counter() - begun) * 1000)
    p50, p95 = (float(value) for value in np.percentile(waited, [50, 95]))
    return [("own write missed by the next search", float(missed)), ("change to found, p50 ms", p50), ("p95 ms", p95)]


def _asked(settings: Settings, path: str) -> dict[str, Any]:
    with urllib.request.urlopen(f"{settings.search_endpoint}{path}") as answer:
        found: dict[str, Any] = json.load(answer)
        return found
