"""What `Commonplace` can do about its own index: check it, and bring it in line with the memories."""

from typing import Any

from commonplace.domain.consistency import RepairResult, Scope, ValidateResult
from commonplace.domain.results import AnyResult


class UpkeepMethods:
    """The methods that look into the memory itself."""

    def _typed(self, kind: type[AnyResult], name: str, /, **arguments: Any) -> AnyResult:
        """Calls a tool with those arguments that are not None; given by the class that has these methods."""
        raise NotImplementedError

    def validate_storage(self, *, run_id: str | None = None, cursor: str | None = None) -> ValidateResult:
        """What is not as it should be, in 2,000 records; `cursor`: that of the part before."""
        return self._typed(ValidateResult, "validate_storage", run_id=run_id, cursor=cursor)

    def repair_index(self, scope: Scope = "missing", *, dry_run: bool = True, run_id: str | None = None) -> RepairResult:
        """Brings the index in line with the records; `all` writes all of it anew. `dry_run` only tells what that would do."""
        return self._typed(RepairResult, "repair_index", scope=scope, dry_run=dry_run, run_id=run_id)
