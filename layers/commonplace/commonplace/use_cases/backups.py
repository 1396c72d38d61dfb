"""Implement `backup_restore`, which makes, lists, verifies and restores backups of a user's memories."""

from collections.abc import Callable, Iterable, Mapping
from contextlib import nullcontext
from datetime import datetime, timedelta

from commonplace.domain.errors import invalid
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_file_id
from commonplace.domain.memory import Memory
from commonplace.domain.transfer import ADMINS, BackupRequest, BackupResult, BackupTold, StoredFile
from commonplace.memories.transitions import TAGS_BEFORE
from commonplace.ports.bundle import Ports
from commonplace.ports.values import AppliedChange, Caller, RawRecord
from commonplace.runs.apply import RunContext
from commonplace.runs.backup_file import Backup, described
from commonplace.runs.queueing import exclusive_lease, in_call_or_queued
from commonplace.runs.staging import run_context
from commonplace.use_cases.export_memories import keep, stored_files

_MOST_WALKS = 5
_ARCHIVED = "archive"  # the store archives expired memories without an operation


def backup_restore(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    """Run an action. Arguments for other actions are rejected. Raises `CONFLICT` while another run of the user is active."""
    run, arguments = _ACTIONS[request.action]
    for name, value in request:
        if name != "action" and value is not None and name not in arguments:
            raise invalid(name, f"is not an argument of the action {request.action}")
    return run(request, caller, ports)


def _run_backup(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    context = run_context(caller, ports)
    return in_call_or_queued("backup", request, context, request.run_id, lambda _: _make_backup(context), BackupResult())


def _make_backup(context: RunContext) -> BackupResult:
    """Store a backup under a lease that excludes runs and erasures. A model's backup never replaces another backup."""
    caller, ports = context.caller, context.ports
    files, now = stored_files(ports), caller.now
    if not caller.admin and len(files.listed(caller.user_id, "backup", now)) >= ports.backups.most:
        may = f"no backup was made, because it would replace the oldest; that may do {ADMINS.format(verb='backup make')}"
        return BackupResult(status="needs_review", notes=Notes(warnings=[may]))
    alone = exclusive_lease(context) if caller.goes_on is None else nullcontext()  # a worker already holds the lease
    with gathered() as flaws, alone:
        backup = _read_snapshot(caller, ports)
        body = backup.body()
        file = StoredFile(
            file_id=new_file_id("backup", now), kind="backup", format="backup", made_at=now,
            expires_at=now + timedelta(days=ports.backups.days), bytes=0, sha256="",
        )  # fmt: skip
        file = described(file, len(backup.records), body)
        keep(file, body, caller, ports, ports.backups.most)
    fields = {name: value for name, value in _summarize_backup(file) if name != "bytes"}
    return BackupResult(status="done", **fields).naming(flaws)


def _list_backups(_: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    return BackupResult(backups=[*map(_summarize_backup, stored_files(ports).listed(caller.user_id, "backup", caller.now))])


def _verify_backup(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    from commonplace.use_cases.restore import named_backup

    file, reading = named_backup(request.backup_id, caller, ports)
    return BackupResult(
        backup_id=file.file_id, as_of=file.made_at, count=file.count, sha256=file.sha256, ok=not reading.problems,
        problems=reading.problems, unreadable=reading.unreadable or None,
    )  # fmt: skip


def _restore_backup(request: BackupRequest, caller: Caller, ports: Ports) -> BackupResult:
    from commonplace.use_cases.restore import restore

    return restore(request, caller, ports)


_ACTIONS: Mapping[str, tuple[Callable[[BackupRequest, Caller, Ports], BackupResult], tuple[str, ...]]] = {
    "backup": (_run_backup, ("run_id",)),
    "list": (_list_backups, ()),
    "verify": (_verify_backup, ("backup_id",)),
    "restore": (_restore_backup, ("backup_id", "mode", "run_id", "confirm")),
}
"""Maps each action to its function and the names of its arguments."""


def _summarize_backup(file: StoredFile) -> BackupTold:
    return BackupTold(
        backup_id=file.file_id, as_of=file.made_at, count=file.count, bytes=file.bytes, sha256=file.sha256,
        expires_at=file.expires_at,
    )  # fmt: skip


def _read_snapshot(caller: Caller, ports: Ports) -> Backup:
    """Return the user's data as it was at the caller's time, despite concurrent writes.

    The records are read again until no further writes from before that time appear. Then the later writes are
    reverted, because each operation stores the old values. Words need not be reverted, because only erasures change them.
    """
    user_id, at = caller.user_id, caller.now
    rows = list(ports.in_time(ports.raw.rows(user_id)))
    for _ in range(_MOST_WALKS):
        before, rows = _find_newest_versions(at, rows), list(ports.in_time(ports.raw.rows(user_id)))
        if _find_newest_versions(at, rows) == before:
            break
    made = {(item.memory_id, item.version): item for step in ports.operations.since(user_id, at) for item in step.made}
    records = tuple(rebuilt for row in rows if (rebuilt := _rebuild_row(row, at, made)) is not None)
    ids = {record.memory_id for record in records}
    aliases = tuple(alias for alias in ports.aliases.all(user_id) if alias.memory_id in ids)
    ratings = tuple(rating for rating in ports.feedback.ratings(user_id, at) if rating.memory_id in ids and rating.at <= at)
    return Backup(at, records, aliases, ratings)


def _find_newest_versions(at: datetime, rows: Iterable[RawRecord]) -> dict[str, int]:
    """Map each record to its newest version at the time `at`, or to 0 if the record was created later."""
    return {
        row.memory_id: max((version for version, audit in row.audits.items() if audit.at <= at), default=0) for row in rows
    }


def _rebuild_row(row: RawRecord, at: datetime, made: Mapping[tuple[str, int], AppliedChange]) -> RawRecord | None:
    """Return the state of a record at `at`, or None if the record did not exist then or has since been erased."""
    audits = {version: audit for version, audit in row.audits.items() if audit.at <= at}
    if row.memory is None:
        return RawRecord(row.memory_id, row.record, None, audits)
    if not row.memory.content or (row.audits and not audits):
        return None
    if len(audits) == len(row.audits):
        return row
    fields = row.memory.model_dump(mode="json")
    for version in sorted(row.audits.keys() - audits.keys(), reverse=True):
        change, audit = made.get((row.memory_id, version)), row.audits[version]
        fields |= (change.before or {}) if change else {"status": "active"} if audit.operation == _ARCHIVED else {}
        fields |= {"tags": audit.detail[TAGS_BEFORE]} if TAGS_BEFORE in audit.detail else {}
    newest = max(audits)
    memory = Memory.model_validate({**fields, "version": newest, "updated_at": audits[newest].at})
    return RawRecord(row.memory_id, b"", memory, audits)
