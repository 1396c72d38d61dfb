"""The servers, the settings and the memories that the benchmarks of the cloud share."""

import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from itertools import islice
from typing import Any

import boto3
from rich.progress import Progress

from cloud.dynamodb import DynamoDB
from cloud.opensearch import OpenSearch
from commonplace.adapters.dynamodb.calls import connect
from commonplace.adapters.dynamodb.rows import memory_item
from commonplace.adapters.dynamodb.table import create_table
from commonplace.bootstrap.maintenance import open_projector
from commonplace.bootstrap.models import SENTENCE_ENCODER
from commonplace.domain.batching import in_batches
from commonplace.domain.ids import new_memory_id
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import to_bytes
from commonplace.ports.index import IndexWriter
from commonplace.ports.models import Embedder
from commonplace.ports.values import Stored
from commonplace.settings import Settings, read_settings
from tests.word_vectors import WordVectors
from training.many import texts

TABLE = "bench"
ISSUER = "https://issuer.example"
_AT_ONCE = 500
_DYNAMO_AT_ONCE = 25  # what one BatchWriteItem takes
_BEGUN = datetime(2026, 1, 1, tzinfo=UTC)


@contextmanager
def cloud(indexed: bool = True) -> Iterator[Settings]:
    """Real servers with an empty table and an empty index; the environment is that of a function until the end."""
    with DynamoDB(heap="1g", flags=()) as dynamo, OpenSearch(heap="2g", flags=()) as search:
        given = {
            "AWS_ENDPOINT_URL_DYNAMODB": dynamo.url, "AWS_ACCESS_KEY_ID": "bench", "AWS_SECRET_ACCESS_KEY": "bench",
            "AWS_REGION": "eu-central-1", "COMMONPLACE_TABLE": TABLE,
            "COMMONPLACE_SEARCH_ENDPOINT": search.url if indexed else "", "POWERTOOLS_METRICS_NAMESPACE": "Commonplace",
        }  # fmt: skip
        before = {name: os.environ.get(name) for name in given}
        os.environ.update(given)
        try:
            settings = read_settings()
            create_table(connect(settings.region), TABLE)
            if indexed:
                open_projector(settings).set_up()
            yield settings
        finally:
            for name, value in before.items():
                os.environ.pop(name, None) if value is None else os.environ.update({name: value})


def user(number: int) -> str:
    """A user of the issuer."""
    return f"{ISSUER}|user-{number}"


def request(user_id: str, tool: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The event by which the HTTP API hands a user's call of a tool to its function."""
    claims = {"iss": ISSUER, "sub": user_id.removeprefix(f"{ISSUER}|"), "scope": "openid"}
    return {
        "version": "2.0", "routeKey": f"POST /tools/{tool}", "rawPath": f"/tools/{tool}", "headers": {},
        "requestContext": {
            "http": {"method": "POST", "path": f"/tools/{tool}"}, "requestId": "bench",
            "authorizer": {"jwt": {"claims": claims, "scopes": None}},
        },
        "body": json.dumps(arguments), "isBase64Encoded": False,
    }  # fmt: skip


def refuse_degraded(answer: Mapping[str, Any]) -> None:
    """`RuntimeError` unless a tool has answered, and by the index where it searches."""
    notes = json.loads(answer["body"]).get("notes") or {}
    if answer["statusCode"] != 200 or "degraded" in notes:
        raise RuntimeError(f"not what was to be measured: {answer['statusCode']} {notes}")


def memories(count: int, users: int, first: int = 0, embedder: Embedder | None = None) -> Iterator[Stored]:
    """Memories for users in turn, in sessions of 20; what a classifier would add is left out.

    `embedder`: a stand-in by default, which is soon done with a hundred thousand. Its vectors are stored as the encoders',
    so that searches compare them.
    """
    embedder = embedder or WordVectors()
    for number, text in enumerate(islice(texts(), first, first + count)):
        own = number // users
        at = _BEGUN + timedelta(seconds=number)
        vector = embedder.embed(text)
        yield Stored(
            Memory(
                memory_id=new_memory_id(at), user_id=user(number % users), raw_text=text, normalized_text=text,
                memory_type="fact", category="contexts", section="personal_context", session_id=str(own // 20),
                position=own % 20, speaker="user", created_at=at, updated_at=at,
                embedding_model=SENTENCE_ENCODER if vector is not None else None,
            ),
            vector,
        )  # fmt: skip


def fill(settings: Settings, found: Iterator[Stored], total: int) -> float:
    """Writes records and index entries straight to the servers, without the tools; the seconds that the index took."""
    indexing = 0.0
    writer = open_projector(settings).writer if settings.search_endpoint else None
    client = boto3.client("dynamodb", region_name=settings.region)  # patient, where the function's own has a deadline
    with Progress() as progress, ThreadPoolExecutor(4) as pool:
        task = progress.add_task(f"writing {total:,}", total=total)
        for batch in in_batches(found, _AT_ONCE):
            list(pool.map(lambda part: _put(client, part), in_batches(iter(batch), _DYNAMO_AT_ONCE)))
            begun = time.perf_counter()
            if writer is not None:
                _index(writer, batch)
            indexing += time.perf_counter() - begun
            progress.advance(task, len(batch))
    return indexing


def _put(client: Any, part: Sequence[Stored]) -> None:
    asked = [{"PutRequest": {"Item": memory_item(one.memory, to_bytes(one.vector))}} for one in part]
    while asked:
        asked = client.batch_write_item(RequestItems={TABLE: asked})["UnprocessedItems"].get(TABLE, [])


def _index(writer: IndexWriter, batch: Sequence[Stored]) -> None:
    refused = [outcome for outcome in writer.put(batch) if outcome.state != "done"]
    if refused:
        raise RuntimeError(f"the index took {len(batch) - len(refused)} of {len(batch)}: {refused[0].reason}")
