"""`validate_storage` and `repair_index`: whether records and index of a user are in line, and the index brought in line."""

from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from commonplace.domain.consistency import RepairRequest, RepairResult, ValidateRequest, ValidateResult
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.indexing.repair import UserIndex, check_part, repair
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller, IndexUnavailable
from commonplace.use_cases.cursors import cursor_of, place_of

PART = 2_000
"""Records that are compared in one call."""
_QUESTION = "validate_storage"


def validate_storage(request: ValidateRequest, caller: Caller, ports: Ports) -> ValidateResult:
    """What is wrong in a part of what is kept of the user; nothing is written."""
    _refuse_run(request.run_id)
    after = None if request.cursor is None else place_of(request.cursor, caller.user_id, _QUESTION)
    with _index_errors():
        part = check_part(_user_index(caller, ports), after, PART)
    return ValidateResult(
        status="done" if part.last is None else "running",
        ok=all(one.kind == "held" for one in part.findings),
        checked=part.checked,
        counts=dict(Counter(one.kind for one in part.findings)),
        findings=part.findings,
        cursor=None if part.last is None else cursor_of(part.last, caller.user_id, _QUESTION),
    )


def repair_index(request: RepairRequest, caller: Caller, ports: Ports) -> RepairResult:
    """Brings the user's index in line with the records, which stay as they are; or tells what that would do."""
    _refuse_run(request.run_id)
    with _index_errors():
        done = repair(_user_index(caller, ports), request.scope, request.dry_run)
    why = "lie in the records, which a repair leaves as they are: validate_storage tells the command that helps"
    left = [f"{count} {kind.replace('_', ' ')}: {why}" for kind, count in Counter(one.kind for one in done.left).items()]
    return RepairResult(
        status="planned" if request.dry_run else "done",
        indexed=done.indexed,
        removed=done.removed,
        unchanged=done.unchanged,
        failed=done.failed,
        notes=Notes(warnings=left) if left else None,
    )


def _user_index(caller: Caller, ports: Ports) -> UserIndex:
    if ports.upkeep is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this way in can't look at the index")
    return UserIndex(caller.user_id, caller.now, ports.records, ports.upkeep())


def _refuse_run(run_id: str | None) -> None:
    if run_id is not None:
        raise CommonplaceError(
            ErrorCode.NOT_FOUND, "run_id: there is no such run; this tool ends within its call: leave it out", "run_id"
        )


@contextmanager
def _index_errors() -> Iterator[None]:
    try:
        yield
    except IndexUnavailable as error:
        raise CommonplaceError(
            ErrorCode.STORAGE_UNAVAILABLE, f"the index can't be used just now: {error}; try again"
        ) from error
