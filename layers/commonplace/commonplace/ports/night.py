"""What a run needs beside the ports of the tools: the ledger, the lease, the runs, and the bundle of them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol

from commonplace.domain.interactions import Interaction, LedgerState
from commonplace.domain.runs import Run
from commonplace.ports.documents import Pages
from commonplace.ports.models import LanguageModel, TokenBudget
from commonplace.ports.values import Fence


@dataclass(frozen=True)
class LedgerEntry:
    """An interaction in the ledger. `interaction` is None once its text was dropped.

    `failures` counts runs that failed on it; `run_id`: the run that read it or failed on it last; `read_at`: when a run
    that read it, or gave it up, closed. `messages`: how many a discussion has, also once its text was dropped; else 0.
    """

    interaction_id: str
    time: datetime
    state: LedgerState
    recorded_at: datetime
    interaction: Interaction | None
    run_id: str | None = None
    read_at: datetime | None = None
    failures: int = 0
    messages: int = 0


@dataclass(frozen=True)
class LedgerMark:
    """What becomes of an interaction when its run closes."""

    state: LedgerState
    failures: int = 0


class Ledger(Protocol):
    """The user's interactions, and which of them a run has read: this, not a clock, decides what a run reads."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Records each as pending unless its id is known; returns for each whether it is new.

        All at once, or from the last to the first: if it dies in between, whatever is kept has all kept that came after it.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """What no run has read, by its time, oldest first; strongly consistent."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """The entries that exist among the ids, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Makes those pending again whose text is still there, with failures reset; returns how many."""

    def drop_texts(self, user_id: str, now: datetime, kept: timedelta) -> int:
        """Drops texts that were read, or given up as failed, longer ago than they are `kept`; id, time and run stay.

        Returns how many. Where the clock is a laptop's, the user's own records must confirm it.
        """

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drops the text of these at once, whatever their state; what was pending counts as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """The users with something pending, and those with texts that were read before then, if it is given.

        No scan of everything; may lag behind a write by seconds.
        """


class Leases(Protocol):
    """The lease under which runs change a user's memories; writes under an older lease get `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Takes the lease until then, with a number above all before; None while another's is valid at `now`.

        One that ends more than two such spans after `now` was taken by a clock that was set back since: it is free. (One span
        alone would leave no room for two machines whose clocks differ.)
        """

    def renew(self, fence: Fence, until: datetime) -> None:
        """Extends the lease until then."""

    def release(self, fence: Fence) -> None:
        """Gives the lease back; without effect if it is not the newest any more."""


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


class RunParts(Protocol):
    """Parts that a run saves before their effect, by name. Writers must hold the newest lease, else `LEASE_LOST`."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Saves a part (a model's answer, a day's plan) under a name; an existing one stays."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """The part of that name."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Deletes the parts of a run but for those to keep: they hold what users said."""


@dataclass(frozen=True)
class Allowance:
    """What a model may cost. Tokens are of a calendar day (UTC), in our estimate; prices in US dollars per million."""

    user_tokens: int = 300_000
    all_tokens: int = 30_000_000
    call_seconds: float = 120.0
    agent_turns: int = 24
    agent_tokens: int = 200_000
    agent_seconds: float = 240.0
    price_in: float = 0.0
    price_out: float = 0.0


@dataclass(frozen=True)
class NightPorts:
    """What a run needs beside the `Ports` of the tools."""

    ledger: Ledger
    leases: Leases
    runs: RunStore
    parts: RunParts
    budget: TokenBudget
    model: LanguageModel | None = None
    allowance: Allowance = Allowance()
    texts_kept: timedelta = timedelta(days=30)
    """How long the text of an interaction stays after it was read."""
    pages: Callable[[str], Pages] | None = None
    """A user's pages by the user's id; where there are any, they are written after each run."""
    finish_erasing: Callable[[bool], bool] = lambda _wait: True
    """Takes what was erased out of what lies beside the records too, such as a file's log. False: somebody reads there, and
    whoever uses the file next does it. Whether to wait some seconds for that."""
    least_worth: float | None = None
    """How much, 0 to 1, must speak for keeping what was said where rules read; None: their own threshold."""
