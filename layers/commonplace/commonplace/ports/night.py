"""Ports of a run: the ledger, the lease, the stored runs, and a bundle of all ports."""

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
    """An interaction in the ledger. `interaction` is None after the text was dropped.

    `failures` counts the runs that failed on the interaction. `run_id` is the last run that read the interaction or failed
    on it. `read_at` is when the run that read it or gave up on it was closed. `messages` is the number of
    messages of a discussion, even after the text was dropped. It is 0 for other interactions.
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
    """The state of an interaction after its run closes."""

    state: LedgerState
    failures: int = 0


class Ledger(Protocol):
    """The user's interactions and their states. A run reads the interactions that are pending, whatever their time."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Record each interaction as pending unless its id is known. For each, returns whether it is new.

        Writes all in one transaction, or the last first. After a crash, all successors of a stored interaction exist.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """Return the interactions that no run has read, ordered by the time of the interaction. Strongly consistent."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """Return the existing entries, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Mark interactions that still have a text as pending again, and reset their failures. Returns how many."""

    def drop_texts(self, user_id: str, now: datetime, retention: timedelta) -> int:
        """Drop texts read or given up longer than `retention` ago. Returns how many. Records must confirm the clock."""

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drop these texts at once, in any state. Pending interactions then count as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """Yield users with pending interactions, or with texts read before `texts_before`. May lag by seconds."""


class Leases(Protocol):
    """The lease under which runs change a user's memories. Writes under an older lease raise `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Take the lease until `until`, with a higher number than any before. Returns None if another is valid at `now`.

        If a lease ends more than twice its duration after `now`, the clock must have been set back. Such a lease is free.
        The factor of two leaves a margin for two machines whose clocks differ.
        """

    def renew(self, fence: Fence, until: datetime) -> None:
        """Extend the lease."""

    def release(self, fence: Fence) -> None:
        """Release the lease. Has no effect if a newer lease exists."""


class RunStore(Protocol):
    """A user's runs. At most one run is unfinished. Writes raise `LEASE_LOST` without the newest lease."""

    def unfinished(self, user_id: str) -> Run | None:
        """Return the run that was started but not closed, if any."""

    def save(self, run: Run, fence: Fence) -> None:
        """Save the current state of the run."""

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Mark the ledger's entries and save the closed run. With several transactions, the last one closes the run.

        Safe to repeat after a crash. An entry that is marked `pending` stays pending, with its failures. An entry stays read
        if its text was erased meanwhile.
        """

    def get(self, user_id: str, run_id: str) -> Run | None:
        """Return the run with that id, or None if there is none."""

    def newest(self, user_id: str, limit: int) -> list[Run]:
        """Return the newest runs, newest first."""


class RunParts(Protocol):
    """Named parts of a run, saved before they take effect. Writes raise `LEASE_LOST` without the newest lease."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Save a part (a model's answer, a day's plan) under a name. Never replaces a part."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """Return the part with that name, or None if there is none."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Delete all parts of a run except `keep`, because they contain users' texts."""


@dataclass(frozen=True)
class Allowance:
    """Limits and prices of a model. Token limits apply per calendar day (UTC). Prices are US dollars per million tokens."""

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
    """The ports that a run needs in addition to `Ports`."""

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
    """Returns the pages of a user by user id. If set, each run writes the user's pages at the end."""
    finish_erasing: Callable[[bool], bool] = lambda _wait: True
    """Removes erased text from places outside the records, such as a log file.

    The argument is whether to wait some seconds. Returns False if a reader blocks the removal; the next writer repeats it.
    """
    least_worth: float | None = None
    """The least evidence, 0 to 1, of a statement that rules extract. None means the default threshold of the rules."""
