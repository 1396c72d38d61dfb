"""After an erasure no item of the table and no document of the index holds a word that only the erased memory had."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from opensearchpy import OpenSearch

from commonplace import Commonplace
from commonplace.adapters.dynamodb.calls import connect
from commonplace.bootstrap import cloud, local
from tests.dynamodb_tables import PATIENT
from tests.erasing_histories import WORD, History, Step, histories
from tests.examples import TIMES
from tests.faults.conftest import Open, Streaming
from tests.faults.world import REGION, World, wait_until
from tests.word_vectors import WordVectors

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

pytestmark = pytest.mark.integration


class Storage:
    """All that a deployment stores, as it is stored."""

    def __init__(self, world: World, client: "DynamoDBClient", index: OpenSearch, alias: str) -> None:
        self._world, self._client, self._index, self._alias = world, client, index, alias

    def holders(self) -> list[str]:
        """Return every item and document that holds the word."""
        self._index.indices.refresh(index=self._alias)
        pages = self._client.get_paginator("scan").paginate(TableName=str(self._world.settings.table))
        items = [repr(item) for page in pages for item in page["Items"]]
        hits = self._index.search(index=self._alias, body={"size": 5_000})["hits"]["hits"]
        return [one for one in (*items, *map(repr, hits)) if WORD in one.lower()]


@pytest.fixture
def opened(
    open_world: Open, streaming: Streaming, opensearch_client: OpenSearch, new_index: str, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[World, Storage]]:
    """A deployment whose index follows its table; `Commonplace` opens it in place of a file."""
    world = open_world(streaming)
    monkeypatch.setattr(cloud, "build_embedder", WordVectors)
    monkeypatch.setattr(local, "open_local", lambda _settings: cloud.open_cloud(world.settings, lambda: PATIENT))
    with world.following(streaming.stream):
        yield world, Storage(world, connect(REGION, streaming.url, PATIENT), opensearch_client, new_index)


_USERS = count(1)


@pytest.mark.timeout(1_800 if TIMES else 300)
@settings(
    phases=(Phase.generate,),
    max_examples=16 * TIMES or 8,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.function_scoped_fixture],
)
@given(steps=histories(with_files=False))
def test_no_item_and_no_document_holds_the_word(opened: tuple[World, Storage], tmp_path: Path, steps: list[Step]) -> None:
    world, storage = opened
    user = f"erased {next(_USERS)}"
    times = (datetime.now().astimezone() + timedelta(milliseconds=n) for n in count())
    with Commonplace(user_id=user, now=lambda: next(times)) as memory:
        history = History(memory, tmp_path)
        history.run(steps)
        assert storage.holders()
        history.erase()
        wait_until(lambda: not world.pending.pending(f"local|{user}")[0], "the index does not follow")
    assert storage.holders() == []
