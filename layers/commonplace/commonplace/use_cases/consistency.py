"""Implement `validate_storage` and `repair_index`, which check a user's index against the records and repair it."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from pydantic import JsonValue

from commonplace.domain.consistency import RepairRequest, RepairResult, ValidateRequest, ValidateResult
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.indexing.consistency import REPAIRED, UserIndex, check_part, repair
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, IndexUnavailable
from commonplace.runs.queueing import in_call_or_queued
from commonplace.runs.staging import run_context
from commonplace.use_cases.cursors import cursor_of, place_of

PART = 2_000
"""How many records one call compares."""
_QUESTION = "validate_storage"


def validate_storage(request: ValidateRequest, caller: Caller, ports: Ports) -> ValidateResult:
    """Return the problems found in a part of the user's data, without changing anything."""
    after = None if request.cursor is None else place_of(request.cursor, caller.user_id, _QUESTION)

    def checked(_: object) -> ValidateResult:
        with _convert_index_errors():
            part = check_part(_open_user_index(caller, ports), after, PART)
        return ValidateResult(
            status="done" if part.last is None else "running",
            ok=all(finding.kind == "held" for finding in part.findings),
            checked=part.checked,
            counts=dict(Counter(finding.kind for finding in part.findings)),
            findings=part.findings,
            cursor=None if part.last is None else cursor_of(part.last, caller.user_id, _QUESTION),
        )

    nothing = ValidateResult(status="running", ok=False, checked=0, counts={}, findings=[])
    return in_call_or_queued("validation", request, run_context(caller, ports), request.run_id, checked, nothing)


def repair_index(request: RepairRequest, caller: Caller, ports: Ports) -> RepairResult:
    """Repair the user's index from the records, or report what a repair would change. Records are never changed."""

    def repaired(so_far: Mapping[str, JsonValue] | None) -> RepairResult:
        done = REPAIRED.validate_python(so_far or {})
        with _convert_index_errors():
            repair(_open_user_index(caller, ports), request.scope, request.dry_run, done)
        why = "are in the records, which a repair doesn't change: validate_storage names the command that helps"
        left = [
            f"{count} {kind.replace('_', ' ')}: {why}" for kind, count in Counter(item.kind for item in done.left).items()
        ]
        return RepairResult(
            status="planned" if request.dry_run else "done",
            indexed=done.indexed,
            removed=done.removed,
            unchanged=done.unchanged,
            failed=done.failed,
            notes=Notes(warnings=left) if left else None,
        )

    nothing = RepairResult(status="running", indexed=0, removed=0, unchanged=0, failed=[])
    return in_call_or_queued("repair", request, run_context(caller, ports), request.run_id, repaired, nothing)


def _open_user_index(caller: Caller, ports: Ports) -> UserIndex:
    if ports.upkeep is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this interface can't read the index")
    watched = ports.progress
    report = (lambda checked: watched(checked, None)) if watched else (lambda _checked: None)
    return UserIndex(caller.user_id, caller.now, ports.records, ports.upkeep(), ports.in_time, report)


@contextmanager
def _convert_index_errors() -> Iterator[None]:
    """Convert `IndexUnavailable` inside the block to `STORAGE_UNAVAILABLE`."""
    try:
        yield
    except IndexUnavailable as error:
        why = f"the index can't be used just now: {error}; try again"
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why) from error
