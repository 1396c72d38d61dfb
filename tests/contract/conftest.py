"""Each port's suite runs over every adapter: add one here and all the laws are its own."""

import itertools
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from commonplace.adapters.dynamodb.calls import Table
from commonplace.adapters.dynamodb.documents import DynamoDocuments
from commonplace.adapters.dynamodb.ids import DynamoAliases, DynamoErasedIds
from commonplace.adapters.dynamodb.ledger import DynamoLedger
from commonplace.adapters.dynamodb.operations import DynamoOperations
from commonplace.adapters.dynamodb.records import DynamoErasure, DynamoEverything, DynamoRawRecords, DynamoRecords
from commonplace.adapters.dynamodb.runs import DynamoBudget, DynamoRuns, DynamoTagRows
from commonplace.adapters.dynamodb.usage import DynamoFeedback, DynamoSearchLog, DynamoUsage
from commonplace.adapters.opensearch.index import OpenSearchFacts, OpenSearchIndex
from commonplace.adapters.opensearch.rebuild import OpenSearchContents
from commonplace.adapters.record_scan import ScanFacts, ScanIndex
from commonplace.bootstrap.local import OpenStore, open_local
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports, Upkeep
from commonplace.ports.night import NightPorts
from commonplace.ports.records import AllRecords
from commonplace.ports.values import Audit, Entry
from commonplace.settings import Settings
from tests.conftest import NOON
from tests.opensearch_indices import FollowedRecords, Indexed

_NUMBERS = itertools.count(1)  # of all tests: an index that several use doesn't forget the versions of an id at once


DYNAMODB = pytest.param("dynamodb", marks=pytest.mark.dynamodb)
STORES = ("sqlite", "scan", DYNAMODB)
OPENED = ("sqlite", DYNAMODB)
INDICES = [pytest.param(f"opensearch-{much}", marks=pytest.mark.opensearch) for much in ("nothing", "half", "all")]


@pytest.fixture(autouse=True)
def _embedder(request: pytest.FixtureRequest) -> None:
    """The laws of storage need no meaning: only tests marked `meaning` pay for the encoders."""
    if request.node.get_closest_marker("meaning") is None:
        request.getfixturevalue("word_vectors")


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The laws of records, operations and nights are those of the stores only. Only the index's own laws need an index that
    holds nothing or all of the records: the other laws run over one that holds half of them."""
    if "opened" in metafunc.fixturenames:
        metafunc.parametrize("opened", OPENED, indirect=True)
    elif "ports" in metafunc.fixturenames:
        name = metafunc.module.__name__.rpartition(".")[2]
        indices = INDICES if name == "test_index" else () if name.startswith("test_records") else INDICES[1:2]
        metafunc.parametrize("ports", [*STORES, *indices], indirect=True)


@pytest.fixture
def ports(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Ports]:
    """`sqlite`: records and index of one file; `scan`: the same records, searched without an index; `dynamodb`: so too;
    `opensearch-`: the same records, of which the index holds nothing, half or all and the rest is pending.
    """
    local = open_local(Settings(db=tmp_path / "memory.db"))
    if request.param == "dynamodb":
        table: Table = request.getfixturevalue("dynamodb_table")
        kept: dict[str, Any] = {
            "records": DynamoRecords(table),
            "usage": DynamoUsage(table),
            "search_log": DynamoSearchLog(table),
            "feedback": DynamoFeedback(table),
        }
        yield without_index(replace(local.ports, **kept), DynamoEverything(table))
    elif request.param.startswith("opensearch-"):
        yield indexed(local.ports, request, request.param.removeprefix("opensearch-"))
    else:
        yield local.ports if request.param == "sqlite" else without_index(local.ports, local.everything())
    local.close()


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[OpenStore]:
    """Records, operations and the night of one store. `sqlite`: of one file; `dynamodb`: of one table, with no index."""
    local = open_local(Settings(db=tmp_path / "memory.db"))
    if request.param == "dynamodb":
        table: Table = request.getfixturevalue("dynamodb_table")
        records, operations = DynamoRecords(table, indexed=False), DynamoOperations(table, indexed=False)
        runs = DynamoRuns(table)
        night = NightPorts(DynamoLedger(table), runs, runs, runs, DynamoBudget(table))
        aliases, usage, log = DynamoAliases(table), DynamoUsage(table), DynamoSearchLog(table)
        kept = replace(
            local.ports, records=records, operations=operations, usage=usage, aliases=aliases, search_log=log,
            feedback=DynamoFeedback(table), tag_rows=DynamoTagRows(table), night=lambda: night, erased=DynamoErasedIds(table),
            raw=DynamoRawRecords(table), documents=DynamoDocuments(table),
        )  # fmt: skip
        everything = DynamoEverything(table)
        ports = without_index(kept, everything)
        yield OpenStore(ports, lambda: None, lambda: night, lambda: DynamoErasure(table), lambda: everything)
    else:
        yield local
    local.close()


@pytest.fixture
def night(opened: OpenStore) -> NightPorts:
    return opened.night()


def without_index(ports: Ports, everything: AllRecords) -> Ports:
    """The same records, looked through at each search."""
    index = ScanIndex(ports.records, ports.embedder.name)
    return replace(ports, facts=ScanFacts(ports.records), index=index, upkeep=lambda: Upkeep(everything))


class CountedRecords(FollowedRecords):
    """They tell what was found as well; the index never hears of it."""

    def used(self, user_id: str) -> set[str]:
        return {memory.memory_id for memory in self.all(user_id) if memory.access_count}


def indexed(ports: Ports, request: pytest.FixtureRequest, much: Indexed) -> Ports:
    """The same records, and as much of them as is wanted in OpenSearch."""
    client, alias = request.getfixturevalue("opensearch_client"), request.getfixturevalue("emptied_index")
    records = CountedRecords(ports.records, client, alias, much)
    return replace(
        ports,
        records=records,
        facts=OpenSearchFacts(client, records, ports.facts, alias, seconds=0),
        index=OpenSearchIndex(client, records, ports.embedder.name, alias),
        upkeep=lambda: Upkeep(records, OpenSearchContents(client, alias), records),
    )


class Writer:
    """Puts memories into the record store, numbered, a second apart."""

    def __init__(self, ports: Ports) -> None:
        self._ports, self._written = ports, 0

    def entry(self, text: str, user_id: str = "local|ana", **fields: object) -> Entry:
        self._written += 1
        at = NOON + timedelta(seconds=self._written)
        vector = self._ports.embedder.embed(text)
        whole = {
            "memory_id": f"mem_{next(_NUMBERS):026d}", "user_id": user_id, "raw_text": text, "normalized_text": text,
            "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": at,
            "updated_at": at, "embedding_model": self._ports.embedder.name if vector is not None else None, **fields,
        }  # fmt: skip
        return Entry(Memory.model_validate(whole), vector, Audit("store", at, {"tool": "test"}))

    def write(self, text: str, user_id: str = "local|ana", **fields: object) -> Memory:
        ((memory, _),) = self._ports.records.add([self.entry(text, user_id, **fields)])
        return memory


@pytest.fixture
def writer(ports: Ports) -> Writer:
    return Writer(ports)
