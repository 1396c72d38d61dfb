"""What a run of the night needs, over whichever store: the store's own part, and what the settings tell."""

from datetime import timedelta
from typing import TYPE_CHECKING

from commonplace.settings import Settings
from commonplace.wiring.models import Left, allowance_of, language_of, no_end
from commonplace.wiring.pages import pages_of

if TYPE_CHECKING:
    from commonplace.night_ports import Ledger, NightPorts, Runs, TokenBudget


def night_of(settings: Settings, ledger: "Ledger", runs: "Runs", budget: "TokenBudget", left: Left = no_end) -> "NightPorts":
    """The ports. `left`: seconds that whoever asks now has."""
    from commonplace.night_ports import NightPorts

    return NightPorts(
        ledger=ledger,
        runs=runs,
        budget=budget,
        model=language_of(settings, left),
        allowance=allowance_of(settings),
        texts_kept=timedelta(days=settings.nightly_texts_days),
        pages=pages_of(settings),
        least_worth=settings.nightly_worth,
    )
