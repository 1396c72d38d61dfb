"""Ports for the ledger, the leases and the stored runs. `NightPorts` bundles all the ports that a run needs."""

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
    """An interaction in the ledger. `interaction` is None once its text has been dropped.

    `failures` counts the runs that failed on the interaction. `run_id` is the last run that read the interaction or failed on
    it. `read_at` is when the run that read the interaction, or gave up on it, was closed. `messages` is the number of
    messages in a discussion, which is kept when the text is dropped. For other interactions, `messages` is 0.
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
    """The state to give an interaction when its run is closed."""

    state: LedgerState
    failures: int = 0


class Ledger(Protocol):
    """The interactions of users and their states. A run reads all pending interactions, however old they are."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Record each interaction as pending unless its id is known. Returns for each interaction whether it was new.

        Interactions are written in one transaction or last to first. Therefore, if one is stored, all later ones are too.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """Return the interactions that no run has read, oldest first. The read is strongly consistent."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """Return the entries that exist, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Make interactions pending without failures, unless they are pending or have no text. Returns how many."""

    def drop_texts(self, user_id: str, now: datetime, retention: timedelta) -> int:
        """Drop texts read or given up before `now - retention`, and return how many. A store may correct a wrong `now`."""

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drop the texts of interactions in any state. Pending interactions then count as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """Yield users with pending interactions, or with texts read before `texts_before`. The result may be seconds old."""


class Leases(Protocol):
    """The leases under which runs change users' memories. Writes under an older lease raise `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Take a lease that ends at `until` and has a new highest number. Returns None if another lease is valid at `now`.

        A lease that ends more than twice its duration after `now` counts as free, because the clock must have been set back.
        The factor of two leaves a margin for two machines whose clocks differ.
        """

    def renew(self, fence: Fence, until: datetime) -> None:
        """Extend the lease to `until`."""

    def release(self, fence: Fence) -> None:
        """Release the lease, unless a newer one exists."""


class RunStore(Protocol):
    """The runs of users. Each user has at most one unfinished run. Writes without the newest lease raise `LEASE_LOST`."""

    def unfinished(self, user_id: str) -> Run | None:
        """Return the run that was started but not closed, or None."""

    def save(self, run: Run, fence: Fence) -> None:
        """Save the current state of the run."""

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Mark the ledger's entries and save the closed run. If this takes several transactions, the last one closes the run.

        The call may be repeated after a crash. An entry that is marked `pending` stays pending and keeps its failures. An
        entry whose text has since been erased remains marked as read.
        """

    def get(self, user_id: str, run_id: str) -> Run | None:
        """Return the run with that id, or None if there is none."""

    def newest(self, user_id: str, limit: int) -> list[Run]:
        """Return up to `limit` of the newest runs, newest first."""


class RunParts(Protocol):
    """The named parts of a run, each saved before it takes effect. Writes without the newest lease raise `LEASE_LOST`."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Save a part, such as a model's answer or a day's plan, under a name. An existing part is never replaced."""

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
    """How long the text of an interaction is kept after a run has read it."""
    pages: Callable[[str], Pages] | None = None
    """Returns the pages of the user with the given id. If set, each run ends by writing the user's pages."""
    finish_erasing: Callable[[bool], bool] = lambda _wait: True
    """Removes erased text from places outside the records, such as a log file.

    The argument is whether to wait a few seconds. Returns False if a reader blocks the removal, which the next write retries.
    """
    least_worth: float | None = None
    """The minimum evidence, 0 to 1, for a statement that rules extract. None means the default threshold of the rules."""
