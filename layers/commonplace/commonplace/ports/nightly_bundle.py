"""What a run needs beside the ports of the tools, in one bundle."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from commonplace.ports.language_model import LanguageModel
from commonplace.ports.leases import Leases
from commonplace.ports.ledger import Ledger
from commonplace.ports.pages import Pages
from commonplace.ports.run_parts import RunParts
from commonplace.ports.run_store import RunStore
from commonplace.ports.token_budget import TokenBudget


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
