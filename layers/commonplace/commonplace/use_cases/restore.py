"""Bringing a backup back: planned against what is here, applied by the plan's id, and undone like any run."""

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.transfer import BY_WHOM, BackupRequest, BackupResult, KeptFile, RefusedMemory, RestoreMode
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.runs.apply import RunContext
from commonplace.runs.backup_file import BackupReading, read_backup
from commonplace.runs.plan import Plan
from commonplace.runs.queueing import kept_run
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.export_memories import kept_files
from commonplace.use_cases.restore_plan import CHANGED, GONE, RestorePlanner

_DONE = ("planned", "needs_review", "applied")
_LOST = "it was changed here since the plan was made, or its place or key was taken"


def restore(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    """Plans a restore, tells a plan, or applies one. Raises `INVALID_ARGUMENT` where `confirm` is not the plan's backup."""
    if (request.backup_id is None) == (request.run_id is None):
        why = "backup_id: give it for a plan, or the run_id of a plan, not both"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "backup_id")
    if request.run_id is None and request.confirm is not None:
        why = "confirm: goes with the run_id of a plan; make the plan first"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "confirm")
    context = run_context(caller, ports)
    if request.run_id is None:
        with gathered() as flaws:
            planner = _planner(request.backup_id, request.mode or "missing", caller, ports)
            told = change_many("restore", lambda _: planner.plan(), context, dry_run=True, run_id=None, request=request)
        return _answer(told).naming(flaws)
    if request.mode is not None:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "mode: stands in the plan already", "mode")
    run = kept_run("restore", request.run_id, context)
    if run.status != "queued" and request.confirm not in (None, run.backup_id):
        why = "confirm: must be the id of the backup that this plan brings back"
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "confirm")
    asked = request.confirm is not None
    told = change_many(
        "restore", _never, context, dry_run=not (asked and caller.admin), run_id=request.run_id, publish=publish
    )  # fmt: skip
    may = f"nothing was changed; that may do {BY_WHOM.format(verb='backup restore')}"
    return _answer(told, Notes(warnings=[may]) if asked and not caller.admin else None)


def named_backup(backup_id: str | None, caller: Caller, ports: Ports) -> tuple[KeptFile, BackupReading]:
    """A backup of the caller's user as far as it can be read; `NOT_FOUND` if there is none."""
    if backup_id is None:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "backup_id: is required", "backup_id")
    found = kept_files(ports).get(caller.user_id, "backup", backup_id, caller.now) if may_be_id(backup_id) else None
    if found is None:
        why = f"backup_id: there is no such backup; each is kept for {ports.backups.days} days"
        raise CommonplaceError(ErrorCode.NOT_FOUND, why, "backup_id")
    return found[0], read_backup(*found, caller.user_id)


def _never(_: RunContext) -> Plan:
    raise AssertionError("a plan that is named is not made again")


def _planner(backup_id: str | None, mode: RestoreMode, caller: Caller, ports: Ports) -> RestorePlanner:
    file, reading = named_backup(backup_id, caller, ports)
    damaged = any(one.id is None for one in reading.problems)
    if reading.backup is None or (damaged and mode == "replace"):  # what can't be read would be taken for not there
        why = "backup_id: this backup is damaged" + (
            "" if reading.backup is None else "; mode missing takes what can be read"
        )
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, why, "backup_id")
    return RestorePlanner(reading.backup, file.file_id, mode, caller, ports)


def _answer(told: RunReport, notes: Notes | None = None) -> BackupResult:
    run = told.run
    if run.error:
        notes = Notes(warnings=[*((notes.warnings if notes else None) or []), run.error])
    stored = [one for one in run.operations if one.outcome in _DONE]
    lost = [one.memory_id or one.closed[0] for one in run.operations if one.outcome in ("lost", "discarded")]
    refused = [RefusedMemory(id=one.memory_id or "", code=one.code or "", message=one.why) for one in run.dropped]
    return BackupResult(
        backup_id=run.backup_id,
        run_id=run.run_id if run.operations or run.status in ("queued", "failed") else None,
        status=run.told_status,
        progress=run.progress,
        adds=[str(one.memory_id) for one in stored if one.why == GONE],
        changes=[str(one.memory_id) for one in stored if one.why == CHANGED and one.memory_id],
        closes=[closed for one in stored for closed in one.closed],
        refused=[*refused, *(RefusedMemory(id=one, code=ErrorCode.CONFLICT.label, message=_LOST) for one in lost)],
        notes=notes,
    )
