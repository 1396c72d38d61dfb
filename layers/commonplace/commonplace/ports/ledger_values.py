"""The values of the ledger of interactions: its entries, and what becomes of one when its run closes."""

from dataclasses import dataclass
from datetime import datetime

from commonplace.domain.interactions import Interaction, LedgerState


@dataclass(frozen=True)
class LedgerEntry:
    """An interaction in the ledger. `interaction` is None once its text was dropped.

    `failures` counts runs that failed on it; `run_id`: the run that read it or failed on it last; `read_at`: when a run
    that read it, or gave it up, closed.
    """

    interaction_id: str
    time: datetime
    state: LedgerState
    recorded_at: datetime
    interaction: Interaction | None
    run_id: str | None = None
    read_at: datetime | None = None
    failures: int = 0


@dataclass(frozen=True)
class LedgerMark:
    """What becomes of an interaction when its run closes."""

    state: LedgerState
    failures: int = 0
