"""Opens a deployment on AWS, which stores records in DynamoDB and can search an index in OpenSearch."""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.local import OpenStore, local_clock
from commonplace.bootstrap.models import (
    DIMENSION,
    SENTENCE_ENCODER,
    Left,
    bucket_files,
    build_embedder,
    language_model_of,
    night_of,
    reader_of,
    unlimited_time,
    weights_of,
)
from commonplace.bootstrap.upkeep import upkeep_of_table
from commonplace.domain.errors import CommonplaceError, invalid, require_extra
from commonplace.domain.taxonomy import SIMILARITIES
from commonplace.ports.bundle import BackupStorage, Ports, Upkeep
from commonplace.ports.index import MemoryIndex
from commonplace.ports.models import Embedder
from commonplace.ports.records import UserFacts
from commonplace.ports.values import Caller
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.adapters.dynamodb.calls import Table
    from commonplace.adapters.dynamodb.pending import DynamoPending
    from commonplace.adapters.dynamodb.records import DynamoRecords
    from commonplace.adapters.opensearch.document import Layout
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.night import NightPorts

_SIGNED = "https://"  # a domain on AWS; a local node uses http and needs no signature
_TAGS_SECONDS = 60.0
PAGE_SECONDS = 60.0  # timeout per attempt for jobs that read the whole table while no user waits
Remaining = Callable[[], float]
"""Returns how many more seconds the current caller may wait for the table."""


def open_cloud(settings: Settings, remaining: Remaining | None = None, left: Left = unlimited_time) -> OpenStore:
    """Open the store in a DynamoDB table. Searches use OpenSearch if an endpoint is set, and otherwise scan the records."""
    from commonplace.adapters.dynamodb.documents import DynamoDocuments
    from commonplace.adapters.dynamodb.ids import DynamoAliases, DynamoErasedIds
    from commonplace.adapters.dynamodb.operations import DynamoOperations
    from commonplace.adapters.dynamodb.records import DynamoErasure, DynamoRawRecords
    from commonplace.adapters.dynamodb.runs import DynamoTagRows
    from commonplace.adapters.dynamodb.usage import DynamoFeedback, DynamoSearchLog, DynamoUsage
    from commonplace.adapters.record_scan import CachedRecords, ScanFacts, ScanIndex
    from commonplace.adapters.word_averages import WordAverages

    table, embedder = table_of(settings, remaining), build_embedder()
    records = records_of(settings, table)
    index: MemoryIndex = ScanIndex(records, embedder.name)
    facts: UserFacts = ScanFacts(records, _TAGS_SECONDS)
    fallback: MemoryIndex | None = None
    if settings.search_endpoint:
        pending = pending_of(table)
        index, facts = _build_search(settings, embedder, pending, facts)
        fallback = ScanIndex(CachedRecords(records, pending), embedder.name)
    night = cache(lambda: _build_night(table, settings, left))

    @cache
    def upkeep() -> Upkeep:
        domain = domain_of(settings, writing=True) if settings.search_endpoint else None
        return upkeep_of_table(table, pending_of(table), domain, settings.index_alias)

    ports = Ports(
        records=records, operations=DynamoOperations(table, indexed=settings.search_endpoint is not None),
        aliases=DynamoAliases(table), erased=DynamoErasedIds(table), facts=facts, index=index, usage=DynamoUsage(table),
        embedder=embedder, words=WordAverages(), search_log=DynamoSearchLog(table, settings.search_log),
        feedback=DynamoFeedback(table), reader=reader_of(settings, left), summarizer=language_model_of(settings, left),
        fallback=fallback, summary_seconds=settings.claude_deadline, profile=settings.ranking, night=night,
        category_confidence=settings.category_confidence, weights=weights_of(settings), tag_rows=DynamoTagRows(table),
        least_similarity=SIMILARITIES[settings.similarity], files=bucket_files(settings), upkeep=upkeep,
        raw=DynamoRawRecords(table), documents=DynamoDocuments(table),
        backups=BackupStorage(settings.backups_kept, settings.backup_days),
    )  # fmt: skip
    return OpenStore(ports, lambda: None, night, lambda: DynamoErasure(table), lambda: upkeep().everything)


def _build_night(table: "Table", settings: Settings, left: Left) -> "NightPorts":
    from commonplace.adapters.dynamodb.ledger import DynamoLedger
    from commonplace.adapters.dynamodb.runs import DynamoBudget, DynamoRuns

    return night_of(settings, DynamoLedger(table), DynamoRuns(table), DynamoBudget(table), left)


def open_erasable_user(user_id: str, settings: Settings) -> "ErasableUser":
    """Open a user's data for erasure. `user_id` is the full id. Raises `INVALID_ARGUMENT` if no bucket is set."""
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.runs.apply import RunContext

    if settings.pages_bucket is None:
        raise missing("pages_bucket")  # without the bucket, the user's pages would not be erased
    store, clock = open_cloud(settings), local_clock("UTC")
    return ErasableUser(RunContext(Caller(user_id, clock()), store.ports, store.night(), clock), store.erasure())


def open_models(settings: Settings, left: Left = unlimited_time) -> Ports:
    """Return ports for a function that accesses no memories. All ports except the models raise `RuntimeError`."""
    from commonplace.adapters.word_averages import WordAverages

    stores = "records operations aliases erased raw facts index usage search_log feedback tag_rows documents".split()
    nothing: dict[str, Any] = dict.fromkeys(stores, _NoMemory())
    return Ports(**nothing, embedder=build_embedder(), words=WordAverages(), reader=reader_of(settings, left))


class _NoMemory:
    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(f"{name}: this function has no memory")


def table_of(settings: Settings, remaining: Remaining | None = None, seconds: float | None = None) -> "Table":
    """Open the table named in the settings. `seconds` is the timeout of each attempt."""
    require_extra("aws", "a table is configured")
    from commonplace.adapters.dynamodb.calls import Table, connect

    if settings.table is None:
        raise missing("table")
    limits = () if remaining is None else (remaining,)
    client = connect(settings.region) if seconds is None else connect(settings.region, seconds=seconds)
    return Table(client, settings.table, *limits)


def records_of(settings: Settings, table: "Table") -> "DynamoRecords":
    """Return the record store for the table. If an index is configured, each write also adds a PENDING row."""
    from commonplace.adapters.dynamodb.records import DynamoRecords

    return DynamoRecords(table, indexed=settings.search_endpoint is not None)


def pending_of(table: "Table") -> "DynamoPending":
    """Return the store of the writes that the index has not confirmed yet."""
    from commonplace.adapters.dynamodb.pending import DynamoPending

    return DynamoPending(table)


def _build_search(
    settings: Settings, embedder: Embedder, pending: "DynamoPending", otherwise: UserFacts
) -> tuple[MemoryIndex, UserFacts]:
    from commonplace.adapters.opensearch.index import OpenSearchFacts, OpenSearchIndex
    from commonplace.ports.index import DEPTHS

    client, depth = domain_of(settings), DEPTHS[settings.depth]
    return (
        OpenSearchIndex(client, pending, embedder.name, settings.index_alias, settings.fusion, depth=depth),
        OpenSearchFacts(client, pending, otherwise, settings.index_alias),
    )


def domain_of(settings: Settings, writing: bool = False) -> Any:
    """Return a client for the configured search domain. If `writing` is true, the client has a longer timeout."""
    from commonplace.adapters.opensearch.client import SEARCH_SECONDS, WRITE_SECONDS, connect

    if settings.search_endpoint is None:
        raise missing("search_endpoint")
    region = settings.region if settings.search_endpoint.startswith(_SIGNED) else None
    return connect(settings.search_endpoint, region, WRITE_SECONDS if writing else SEARCH_SECONDS)


def layout_of(settings: Settings) -> "Layout":
    from commonplace.adapters.opensearch.document import Layout

    return Layout(SENTENCE_ENCODER, DIMENSION, settings.knn_engine, settings.index_shards, settings.index_replicas)


def missing(name: str) -> CommonplaceError:
    """Return the error for a required setting that is missing."""
    return invalid(f"COMMONPLACE_{name.upper()}", "is needed here and is not set")
