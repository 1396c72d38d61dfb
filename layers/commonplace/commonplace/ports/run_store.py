"""The port of a user's runs."""

from collections.abc import Mapping
from typing import Protocol

from commonplace.domain.runs import Run
from commonplace.ports.ledger_values import LedgerMark
from commonplace.ports.record_values import Fence


class RunStore(Protocol):
    """A user's runs, one at a time. Writers must hold the newest lease, else `LEASE_LOST`."""

    def unfinished(self, user_id: str) -> Run | None:
        """The run that began and did not close."""

    def save(self, run: Run, fence: Fence) -> None:
        """Keeps the run as it is now."""

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Marks the ledger's entries and saves the closed run, in one transaction or in several, the closing one last.

        Safe to repeat after a crash in between. An entry marked `pending` stays so, with its failures; one whose text was
        erased meanwhile stays read.
        """

    def get(self, user_id: str, run_id: str) -> Run | None:
        """The run of that id."""

    def newest(self, user_id: str, limit: int) -> list[Run]:
        """The newest runs, newest first."""
