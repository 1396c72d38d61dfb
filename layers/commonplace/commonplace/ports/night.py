"""Ports of a run: the ledger, the lease, the stored runs, and the bundle of them."""

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

    `failures` counts the runs that failed on it. `run_id`: the last run that read it or failed on it. `read_at`: when the run
    that read it or gave it up was closed. `messages`: the number of messages of a discussion, also once its text was dropped;
    0 for other interactions.
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
    """The new state of an interaction when its run closes."""

    state: LedgerState
    failures: int = 0


class Ledger(Protocol):
    """The user's interactions and which of them a run has read. The ledger, not a clock, decides what a run reads."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Record each interaction as pending unless its id is known. Returns for each whether it is new.

        Writes all at once, or from last to first: after a crash, each stored interaction has all its successors.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """Return interactions that no run has read, oldest first by their time. Strongly consistent."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """Return the entries that exist, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Mark interactions as pending again if their text still exists, and reset failures. Returns how many."""

    def drop_texts(self, user_id: str, now: datetime, retention: timedelta) -> int:
        """Drop texts read or given up longer than `kept` ago, if records confirm a laptop's clock. Returns how many."""

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drop these texts at once, whatever their state. Pending interactions count as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """Yield users with pending interactions, or with texts read before `texts_before`. May lag by seconds."""


class Leases(Protocol):
    """The lease under which runs change a user's memories. Writes under an older lease raise `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Take the lease until `until`, with a higher number than all before. Returns None while another is valid at `now`.

        A lease that ends more than twice its span after `now` counts as free: its clock has been set back since. (A single
        span would leave no margin for two machines whose clocks differ.)
        """

    def renew(self, fence: Fence, until: datetime) -> None:
        """Extend the lease."""

    def release(self, fence: Fence) -> None:
        """Release the lease. Has no effect if a newer lease exists."""


class RunStore(Protocol):
    """A user's runs, at most one unfinished. Writers must hold the newest lease, else `LEASE_LOST`."""

    def unfinished(self, user_id: str) -> Run | None:
        """Return the run that was started and not closed."""

    def save(self, run: Run, fence: Fence) -> None:
        """Save the current state of the run."""

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Mark the ledger's entries and save the closed run, in one transaction or in several, closing last.

        Safe to repeat after a crash. An entry marked `pending` stays pending with its failures; an entry whose text was
        erased meanwhile stays read.
        """

    def get(self, user_id: str, run_id: str) -> Run | None:
        """Return the run with that id."""

    def newest(self, user_id: str, limit: int) -> list[Run]:
        """Return the newest runs, newest first."""


class RunParts(Protocol):
    """Named parts that a run saves before their effect. Writers must hold the newest lease, else `LEASE_LOST`."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Save a part (a model's answer, a day's plan) under a name. An existing part stays."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """Return the part with that name."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Delete all parts of a run except `keep`: they contain what users said."""


@dataclass(frozen=True)
class Allowance:
    """Limits and prices of the model. Tokens are our estimate, per calendar day (UTC); prices in US dollars per million."""

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
    """What a run needs in addition to `Ports`."""

    ledger: Ledger
    leases: Leases
    runs: RunStore
    parts: RunParts
    budget: TokenBudget
    model: LanguageModel | None = None
    allowance: Allowance = Allowance()
    text_retention: timedelta = timedelta(days=30)
    """How long the text of an interaction is stored after it was read."""
    pages: Callable[[str], Pages] | None = None
    """The pages of a user by user id; if set, they are written after each run."""
    finish_erasing: Callable[[bool], bool] = lambda _wait: True
    """Removes erased text also from places beside the records, such as a log file.

    The argument says whether to wait some seconds. False: another reader blocks it, and the next writer does it.
    """
    least_worth: float | None = None
    """The least evidence, 0 to 1, to store what was said when rules read it; None: the rules' own threshold."""
