"""What `Commonplace` can do to tidy a memory up."""

from collections.abc import Sequence
from typing import Any

from commonplace.domain import maintenance
from commonplace.domain.results import AnyResult


class MaintenanceMethods:
    """The methods that change many memories in one run. `dry_run` plans it and changes nothing; `run_id` is such a plan."""

    def _typed(self, kind: type[AnyResult], name: str, /, **arguments: Any) -> AnyResult:
        """Calls a tool with those arguments that are not None; given by the class that has these methods."""
        raise NotImplementedError

    def merge_memories(
        self, memory_ids: Sequence[str] | None = None, *, dry_run: bool = True, run_id: str | None = None
    ) -> maintenance.MergeResult:
        """Makes one memory of several; without any, tells which say the same. `undo_run` brings the old ones back."""
        return self._typed(
            maintenance.MergeResult, "merge_memories", memory_ids=None if memory_ids is None else list(memory_ids),
            dry_run=dry_run, run_id=run_id,
        )  # fmt: skip

    def optimize_tags(
        self, *, dry_run: bool = True, threshold: float = 0.8, run_id: str | None = None
    ) -> maintenance.OptimizeResult:
        """Gives tags of one meaning one name; a query for an old one goes on finding what it did."""
        return self._typed(maintenance.OptimizeResult, "optimize_tags", dry_run=dry_run, threshold=threshold, run_id=run_id)
