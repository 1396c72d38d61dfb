"""What plans the nights of all users on AWS: who has something pending, and the queue that brings them to a worker."""

from dataclasses import dataclass
from datetime import timedelta
from typing import TYPE_CHECKING

from commonplace.settings import Settings
from commonplace.wiring.cloud import Remaining, missing, table_of

if TYPE_CHECKING:
    from commonplace.night_ports import Ledger, NightQueue


@dataclass(frozen=True)
class NightWork:
    """Whose nights are to be read, where they are asked for, and how long texts that were read are kept."""

    ledger: "Ledger"
    queue: "NightQueue"
    texts_kept: timedelta


def open_night_work(settings: Settings, remaining: Remaining | None = None) -> NightWork:
    """The ledger of the table and the queue; neither an index nor a model."""
    from commonplace.adapters.dynamodb import DynamoLedger
    from commonplace.adapters.sqs import SqsNights, connect

    if settings.night_queue is None:
        raise missing("night_queue")
    ledger, queue = DynamoLedger(table_of(settings, remaining)), SqsNights(connect(settings.region), settings.night_queue)
    return NightWork(ledger, queue, timedelta(days=settings.nightly_texts_days))
