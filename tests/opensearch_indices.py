"""Indices on the real OpenSearch, and records of which as much as is wanted waits to be indexed."""

import uuid
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Literal

import pytest
from opensearchpy import OpenSearch

from commonplace.adapters.opensearch.client import connect
from commonplace.adapters.opensearch.document import Layout
from commonplace.adapters.opensearch.rebuild import OpenSearchWriter, set_up
from commonplace.adapters.sentence_encoder import SentenceEncoder
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import rounded
from commonplace.ports.records import MemoryRecords
from commonplace.ports.values import Audit, Entry, Filter, Stored, Vector, Visibility

LAYOUT = Layout(SentenceEncoder.name, SentenceEncoder.dimension, shards=2, refresh="50ms")
Indexed = Literal["nothing", "half", "all"]


@pytest.fixture(scope="session")
def opensearch_client(opensearch_url: str) -> Iterator[OpenSearch]:
    """A client with time to spare: other work may keep the machine busy."""
    client = connect(opensearch_url, seconds=30)
    yield client
    client.close()


@pytest.fixture
def new_index(opensearch_client: OpenSearch) -> Iterator[str]:
    """The alias of an index of its own, with everything that setup makes."""
    yield from _made(opensearch_client)


@pytest.fixture(scope="session")
def shared_index(opensearch_client: OpenSearch) -> Iterator[str]:
    """The alias of one for all tests that empty it."""
    yield from _made(opensearch_client)


@pytest.fixture
def emptied_index(opensearch_client: OpenSearch, shared_index: str) -> Iterator[str]:
    """The shared one; what is written into it goes after the test, so ids must be new ones."""
    yield shared_index
    if opensearch_client.count(index=shared_index)["count"]:
        emptied(opensearch_client, shared_index)


def emptied(client: OpenSearch, alias: str) -> None:
    """Takes out all that an index holds."""
    client.delete_by_query(index=alias, body={"query": {"match_all": {}}}, params={"refresh": "true", "request_timeout": 60})


def _made(client: OpenSearch) -> Iterator[str]:
    alias = f"test-{uuid.uuid4().hex[:12]}"
    set_up(client, LAYOUT, alias)
    yield alias
    client.indices.delete(index=f"{alias}-v*")
    client.indices.delete_index_template(name=alias)


class FollowedRecords:
    """A record store and the rows that wait to be indexed; before a search is answered, as much is indexed as is wanted.

    `half`: every second new memory, and never a change, so that the index holds what is old.
    """

    def __init__(self, records: MemoryRecords, client: OpenSearch, alias: str, indexed: Indexed) -> None:
        self._records, self._client, self._alias, self._indexed = records, client, alias, indexed
        self._vectors: dict[str, Vector | None] = {}
        self._owners: dict[str, str] = {}
        self._new: list[Stored] = []
        self._waiting: dict[str, Stored] = {}
        self._told: dict[str, int] = {}

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        results = self._records.add(entries)
        for entry, (memory, created) in zip(entries, results, strict=True):
            if created:
                self._vectors[memory.memory_id], self._owners[memory.memory_id] = rounded(entry.vector), memory.user_id
                self._wrote(Stored(memory, self._vectors[memory.memory_id]), new=True)
        return results

    def update(self, memory: Memory, audit: Audit, vector: Vector | None = None) -> Memory:
        changed = self._records.update(memory, audit, vector)
        if vector is not None:
            self._vectors[memory.memory_id] = rounded(vector)
        self._wrote(Stored(changed, self._vectors[memory.memory_id]), new=False)
        return changed

    def get(self, user_id: str, memory_ids: Sequence[str]) -> list[Memory]:
        return self._records.get(user_id, memory_ids)

    def stored(self, user_id: str, memory_ids: Sequence[str]) -> list[Stored]:
        return self._records.stored(user_id, memory_ids)

    def all(self, user_id: str) -> Iterator[Memory]:
        return self._records.all(user_id)

    def listed(
        self, visibility: Visibility, filters: Filter, limit: int, before: str | None = None
    ) -> tuple[list[Memory], str | None]:
        return self._records.listed(visibility, filters, limit, before)

    def newest(self, user_id: str, limit: int) -> tuple[list[Stored], bool]:
        return self._records.newest(user_id, limit)

    def audits(self, user_id: str, memory_id: str) -> list[Audit]:
        return self._records.audits(user_id, memory_id)

    def pending(self, user_id: str) -> tuple[list[Stored], bool]:
        if self._new:
            assert all(outcome.state == "done" for outcome in OpenSearchWriter(self._client, self._alias).put(self._new))
            self._new.clear()
        return [stored for stored in self._waiting.values() if stored.memory.user_id == user_id], True

    def has_more_than(self, most: int, user_id: str) -> bool:
        return len(self.pending(user_id)[0]) > most

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        waiting = self._waiting.get(memory_id)
        if waiting is not None and waiting.memory.user_id == user_id and waiting.memory.version <= version:
            del self._waiting[memory_id]

    def mark_reported(self, user_id: str, memory_id: str, version: int, told: bool = True) -> bool:
        waiting = self._waiting.get(memory_id)
        if waiting is None or waiting.memory.user_id != user_id or (self._told.get(memory_id, 0) >= version) == told:
            return False
        self._told[memory_id] = version if told else 0
        return True

    def pending_since(self, before: datetime) -> Iterator[Stored]:
        yield from [stored for stored in self._waiting.values() if stored.memory.updated_at < before]

    def oldest_pending(self) -> datetime | None:
        return min((stored.memory.updated_at for stored in self._waiting.values()), default=None)

    def every(self) -> Iterator[Stored]:
        """All that was written, as it is now, as a table gives it: page by page, each read when it is asked for."""
        for memory_id, user_id in list(self._owners.items()):
            for memory in self._records.get(user_id, [memory_id]):
                yield Stored(memory, self._vectors[memory_id])

    def of_user(self, user_id: str, after: str | None = None) -> Iterator[Stored]:
        """Those of one user, by id."""
        for memory_id in sorted(name for name, owner in self._owners.items() if owner == user_id and name > (after or "")):
            yield from self._records.stored(user_id, [memory_id])

    def _wrote(self, stored: Stored, new: bool) -> None:
        taken = self._indexed == "all" or (self._indexed == "half" and new and len(self._vectors) % 2 == 0)
        if taken:
            self._new.append(stored)
        else:
            self._waiting[stored.memory.memory_id] = stored
