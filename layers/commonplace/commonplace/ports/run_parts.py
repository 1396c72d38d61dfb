"""The port of a run's saved parts: a model's answers, the plan of a day."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.domain.runs import Run
from commonplace.ports.record_values import Fence


class RunParts(Protocol):
    """Parts that a run saves before their effect, by name. Writers must hold the newest lease, else `LEASE_LOST`."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Saves a part (a model's answer, a day's plan) under a name; an existing one stays."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """The part of that name."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Deletes the parts of a run but for those to keep: they hold what users said."""
