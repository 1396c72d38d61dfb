"""The port of the saved work of a run: a model's answers, the plan of a day."""

from collections.abc import Sequence
from typing import Protocol

from commonplace.domain.runs import Run
from commonplace.ports.record_values import Fence


class RunParts(Protocol):
    """What a run saves before it takes effect, by name. Who writes must hold the newest lease, else `LEASE_LOST`."""

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Keeps a part of a run's work (a model's answer, a day's plan) by name; what is there already stays."""

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        """The part of that name."""

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        """Lets go of the parts of a run but for those to keep: they hold what users said."""
