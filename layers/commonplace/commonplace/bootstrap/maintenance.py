"""Opens the ports that write, check and rebuild a deployment's index, and the ports that schedule nightly runs."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from commonplace.bootstrap.cloud import (
    PAGE_SECONDS,
    Remaining,
    domain_of,
    layout_of,
    missing,
    pending_of,
    records_of,
    table_of,
)
from commonplace.bootstrap.models import build_embedder
from commonplace.indexing.stream import NoIndex, NoRebuild, Projector
from commonplace.ports.bundle import Relay
from commonplace.ports.index import DeadLetters, IndexContents, IndexRebuild, IndexWriter
from commonplace.ports.models import Embedder
from commonplace.ports.records import AllRecords
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.adapters.dynamodb.calls import Table
    from commonplace.adapters.dynamodb.records import DynamoRecords
    from commonplace.ports.bundle import NightQueue
    from commonplace.ports.night import Ledger


@dataclass(frozen=True)
class Maintenance:
    """The ports that the commands `reindex` and `doctor` use."""

    records: "DynamoRecords"
    everything: AllRecords
    embedder: Embedder
    rebuild: IndexRebuild
    contents: IndexContents | None


def open_projector(settings: Settings, remaining: Remaining | None = None) -> Projector:
    """Return the projector, which copies changed records to the index. Without an index, its writer does nothing."""
    from commonplace.adapters.dynamodb.rows import stream_records
    from commonplace.adapters.dynamodb.usage import DynamoUsage

    table = table_of(settings, remaining)
    writer, made = _build_index_writer(settings, table) if settings.search_endpoint else (NoIndex(), lambda: True)
    return Projector(stream_records, writer, pending_of(table), DynamoUsage(table), _build_letters(settings), made)


def open_maintenance(settings: Settings, indexed: bool = True) -> Maintenance:
    """Return the ports of a deployment for `reindex` and `doctor`. If `indexed` is false, there is no index to rebuild."""
    from commonplace.adapters.dynamodb.records import DynamoEverything
    from commonplace.adapters.opensearch.rebuild import OpenSearchContents, OpenSearchRebuild

    table = table_of(settings, seconds=PAGE_SECONDS)
    client: Any = domain_of(settings, writing=True) if indexed else None
    return Maintenance(
        records=records_of(settings, table),
        everything=DynamoEverything(table),
        embedder=build_embedder(),
        rebuild=OpenSearchRebuild(client, layout_of(settings), settings.index_alias) if indexed else NoRebuild(),
        contents=OpenSearchContents(client, settings.index_alias) if indexed else None,
    )


def _build_index_writer(settings: Settings, table: "Table") -> tuple[IndexWriter, Callable[[], bool]]:
    """Return the index writer, and a function that sets up the index and returns False if a reindex is needed."""
    from commonplace.adapters.dynamodb.records import DynamoEverything
    from commonplace.adapters.opensearch.rebuild import OpenSearchWriter, set_up

    client, layout, alias = domain_of(settings, writing=True), layout_of(settings), settings.index_alias

    def has_records() -> bool:
        # If the domain was added after the first writes, those writes are neither in the index nor pending.
        return next(DynamoEverything(table).every(), None) is not None

    return OpenSearchWriter(client, alias), lambda: set_up(client, layout, alias, has_records)


def _build_letters(settings: Settings) -> DeadLetters | None:
    if settings.dead_letter_queue is None:
        return None
    from commonplace.adapters.sqs import SqsDeadLetters, connect

    return SqsDeadLetters(connect(settings.region), settings.dead_letter_queue)


@dataclass(frozen=True)
class NightSchedule:
    """The ports that schedule nightly runs. Texts are kept for `text_retention` after they have been read."""

    ledger: "Ledger"
    queue: "NightQueue"
    text_retention: timedelta


def open_relay(settings: Settings, in_time: Callable[[], bool], remaining: Remaining | None = None) -> Relay:
    """Return the relay that hands long work to a worker. If there is an index, the relay also counts pending writes."""
    pending = pending_of(table_of(settings, remaining)) if settings.search_endpoint else None
    return Relay(in_time, _build_queue(settings), pending)


def _build_queue(settings: Settings) -> "NightQueue":
    from commonplace.adapters.sqs import SqsNightQueue, connect

    if settings.night_queue is None:
        raise missing("night_queue")
    return SqsNightQueue(connect(settings.region), settings.night_queue)


def open_night_schedule(settings: Settings, remaining: Remaining | None = None) -> NightSchedule:
    """Open the ledger and the queue for scheduling nightly runs, without opening an index or a model."""
    from commonplace.adapters.dynamodb.ledger import DynamoLedger

    queue = _build_queue(settings)
    return NightSchedule(DynamoLedger(table_of(settings, remaining)), queue, timedelta(days=settings.nightly_texts_days))
