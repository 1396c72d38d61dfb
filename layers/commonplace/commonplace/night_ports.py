"""The ports of the night: what was recorded, the runs that read it, the tokens they may spend, and the model they ask."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Protocol

from commonplace.keeping import Fence
from commonplace.model_ports import LanguageModel as LanguageModel
from commonplace.model_ports import Reply as Reply
from commonplace.models.interactions import Interaction, LedgerState
from commonplace.models.runs import Run


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


class Ledger(Protocol):
    """What a user's interactions were, and which of them a run has read: it, and not a clock, says what a run reads."""

    def record(self, user_id: str, interactions: Sequence[Interaction], at: datetime) -> list[bool]:
        """Keeps each as pending unless its id is known; tells of each whether it is new.

        All at once, or from the last to the first: if it dies in between, whatever is kept has all kept that came after it.
        """

    def pending(self, user_id: str, limit: int) -> list[LedgerEntry]:
        """What no run has read, by its time, oldest first; never behind a write."""

    def entries(self, user_id: str, interaction_ids: Sequence[str]) -> list[LedgerEntry]:
        """The entries that exist among the ids, in the order of the ids."""

    def reread(self, user_id: str, interaction_ids: Sequence[str]) -> int:
        """Makes those pending again whose text is still there; tells how many. Their failures count from 0."""

    def drop_texts(self, user_id: str, read_before: datetime) -> int:
        """Drops the text of what was read, or given up as failed, before then; id, time and run stay. Tells how many."""

    def erase_texts(self, user_id: str, interaction_ids: Sequence[str]) -> None:
        """Drops the text of these at once, whatever their state; what was pending counts as read."""

    def due(self, texts_before: datetime | None = None) -> Iterator[str]:
        """The users with something pending, and those with texts that were read before then, if it is given.

        No scan of everything; may lag behind a write by seconds.
        """


@dataclass(frozen=True)
class Mark:
    """What becomes of an interaction when its run closes."""

    state: LedgerState
    failures: int = 0


class Runs(Protocol):
    """A user's runs. One at a time: who writes must hold the newest lease, else `LEASE_LOST`."""

    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """The lease until then, with a number above all before; None while somebody else's has not run out at `now`."""

    def renew(self, fence: Fence, until: datetime) -> None:
        """Keeps the lease until then."""

    def release(self, fence: Fence) -> None:
        """Gives the lease back; nothing happens if it is not the newest any more."""

    def unfinished(self, user_id: str) -> Run | None:
        """The run that began and did not close."""

    def save(self, run: Run, fence: Fence) -> None:
        """Keeps the run as it is now."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Keeps a part of a run's work (a model's answer, a day's plan) by name; what is there already stays."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """The part of that name."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Lets go of the parts of a run but for those to keep: they hold what users said."""

    def close(self, run: Run, marks: Mapping[str, Mark], fence: Fence) -> None:
        """Marks the ledger's entries and keeps the closed run, in one transaction or in several of which the last closes it.

        Safe to repeat after a crash in between. An entry marked `pending` stays so, with its failures; one whose text was
        erased meanwhile stays read.
        """

    def get(self, user_id: str, run_id: str) -> Run | None:
        """The run of that id."""

    def newest(self, user_id: str, limit: int) -> list[Run]:
        """The newest runs, newest first."""


class NightQueue(Protocol):
    """Whose nights are to be read, a message per user."""

    def send(self, user_ids: Iterable[str]) -> int:
        """Asks for a night of each, tells how many; raises `STORAGE_UNAVAILABLE` if one can't be asked for.

        A night that is asked for twice is harmless: one finds the other's lease, or nothing pending.
        """


class TokenBudget(Protocol):
    """Tokens reserved before a call and settled after, per user and in all, by calendar day (UTC)."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Takes as many tokens of the day if both limits allow it."""

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        """Gives back what was reserved and not used, or takes what was used beyond it."""


class Pages(Protocol):
    """One user's Markdown pages, kept by name: `MEMORY.md`, `memory/2026-05-20.md`.

    A page is written whole or not at all. Raises `STORAGE_UNAVAILABLE` when they can't be reached.
    """

    def names(self) -> list[str]:
        """The names of all that end in `.md`, there or one folder further in."""

    def read(self, name: str) -> str | None:
        """The text of one, None if it isn't there; `INVALID_ARGUMENT` if it is no text."""

    def write(self, name: str, text: str) -> None:
        """Puts it there, in place of what was."""

    def delete(self, name: str) -> None:
        """Takes it away, if it is there."""

    def drop_versions(self) -> None:
        """Lets go of what the pages were before, where the storage keeps it: it may hold what was to be erased."""


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
    runs: Runs
    budget: TokenBudget
    model: LanguageModel | None = None
    allowance: Allowance = Allowance()
    texts_kept: timedelta = timedelta(days=30)
    """How long the text of an interaction stays after it was read."""
    pages: Callable[[str], Pages] | None = None
    """A user's pages by the user's id; where there are any, they are written after each run."""
    least_worth: float | None = None
    """How much, 0 to 1, must speak for keeping what was said where rules read; None: their own threshold."""
