"""What a model did not read of a day, and whether another night may help."""

from collections.abc import Iterable
from dataclasses import dataclass

from commonplace.nightly.budget import BudgetSpent
from commonplace.ports import ModelUnavailable

DECLINED = "the model declined to read it"


@dataclass(frozen=True)
class Gap:
    """Interactions that were not read. `waits`: they may be read another night; else rules read them now."""

    interactions: frozenset[str]
    why: str
    waits: bool


def gap_after(error: BudgetSpent | ModelUnavailable, interactions: Iterable[str]) -> Gap:
    """What a failed call leaves: a spent budget or a request refused as malformed is no better another night."""
    if isinstance(error, BudgetSpent):
        return Gap(frozenset(interactions), "the budget of tokens is spent", waits=False)
    return Gap(frozenset(interactions), str(error), waits=not error.misconfigured)
