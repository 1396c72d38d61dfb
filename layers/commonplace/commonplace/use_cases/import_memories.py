"""Implement `import_memories`, which plans the import of an export and applies it as a run. Also implement uploads."""

import hashlib
from collections.abc import Iterable
from datetime import timedelta
from io import BytesIO
from typing import IO

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, of_type
from commonplace.domain.fields import EARLIEST, Notes
from commonplace.domain.ids import may_be_id, new_file_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.runs import Dropped
from commonplace.domain.transfer import (
    ADMINS,
    MOST_BYTES,
    MOST_UPLOADED,
    Conflict,
    ImportFormat,
    ImportMemoriesRequest,
    ImportMemoriesResult,
    Instruction,
    RefusedLine,
    StoredFile,
    UploadResult,
)
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.runs.apply import Plan, RunContext
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.export_memories import keep, stored_files
from commonplace.use_cases.import_plan import INSTRUCTION, ImportPlan, ImportRecord, LeftOut
from commonplace.use_cases.import_records import checked_record
from commonplace.use_cases.record_files import read_lines, too_large

UPLOAD_TTL = timedelta(hours=1)
_PIECE = 1_000_000  # bytes
_STORED = ("planned", "needs_review", "applied")


def import_memories(request: ImportMemoriesRequest, caller: Caller, ports: Ports) -> ImportMemoriesResult:
    """Plan an import, apply a plan, or do both at once. A model can only plan, and the result explains who may apply it.

    An upload is deleted once a plan is stored or applied. Raises `CONFLICT` while a run of the user is active. Raises
    `NOT_FOUND` for an unknown upload or plan.
    """
    if sum(source is not None for source in (request.data, request.upload_id, request.run_id)) != 1:
        raise invalid("data", "exactly one of data, upload_id and run_id must be given")
    context, kinds = run_context(caller, ports), dict[str, None]()
    text = _read_text(request, caller, ports)

    def planner(_: RunContext) -> Plan:
        return _plan_import(text, request.format, caller, ports, kinds)

    dry_run = request.dry_run or not caller.admin
    report = change_many("import", planner, context, dry_run=dry_run, run_id=request.run_id, request=request, publish=publish)
    if request.upload_id is not None and report.run.status != "queued":
        drop_upload(request.upload_id, caller, ports)
    may = f"nothing was stored; that may do {ADMINS.format(verb='import')}"
    warnings = [*([may] if dry_run and not request.dry_run else []), *filter(None, [report.run.error])]
    return _build_answer(report, Notes(redacted=list(kinds) or None, warnings=warnings or None))


def keep_upload(body: bytes | IO[bytes], caller: Caller, ports: Ports) -> UploadResult:
    """Store a file, for one import within the next hour. A file object is read in chunks.

    Raises `PAYLOAD_TOO_LARGE` if the file exceeds 50 MB, or the user's uploads exceed 200 MB.
    """
    source: IO[bytes] = BytesIO(body) if isinstance(body, bytes) else body
    if not hasattr(source, "read"):
        raise invalid("body", "must be bytes, or a binary file")
    now, digest = caller.now, hashlib.sha256()
    source.seek(0)
    while piece := source.read(_PIECE):
        digest.update(piece)
    size = source.tell()
    if size > MOST_BYTES:
        raise too_large(f"is larger than {MOST_BYTES // 1_000_000} MB")
    _refuse_beyond_quota(size, caller, ports)
    file = StoredFile(
        file_id=new_file_id("upload", now), kind="upload", format="", made_at=now, expires_at=now + UPLOAD_TTL,
        bytes=size, sha256=digest.hexdigest(),
    )  # fmt: skip
    keep(file, source, caller, ports)
    try:
        _refuse_beyond_quota(0, caller, ports)  # checked again, because of concurrent uploads
    except CommonplaceError:
        drop_upload(file.file_id, caller, ports)
        raise
    return UploadResult(upload_id=file.file_id, bytes=file.bytes, sha256=file.sha256, expires_at=file.expires_at)


def _refuse_beyond_quota(more: int, caller: Caller, ports: Ports) -> None:
    """Raise `PAYLOAD_TOO_LARGE` if the user's valid uploads and `more` bytes exceed 200 MB.

    Expired uploads can't be read, but they are kept until a record confirms the clock. If space is needed, the oldest of them
    are deleted.
    """
    files = stored_files(ports)
    stored = files.listed(caller.user_id, "upload", EARLIEST)
    unexpired, total = [file for file in stored if file.expires_at > caller.now], sum(file.bytes for file in stored) + more
    if sum(file.bytes for file in unexpired) + more > MOST_UPLOADED:
        frees = min((file.expires_at for file in unexpired), default=caller.now).astimezone(caller.now.tzinfo)
        why = (
            f"your uploads would exceed {MOST_UPLOADED // 1_000_000} MB together; import or discard one of them first,"
            f" or wait until {frees:%H:%M}, when the oldest is removed"
        )
        raise CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, why)
    for file in reversed(stored):
        if total > MOST_UPLOADED and file.expires_at <= caller.now:
            files.delete(caller.user_id, "upload", file.file_id)
            total -= file.bytes


def uploaded(upload_id: str, into: IO[bytes], caller: Caller, ports: Ports) -> None:
    """Copy an upload into the file `into`. Raises `NOT_FOUND` if the upload is unknown or expired."""
    known, files = may_be_id(of_type(str, upload_id, "upload_id")), stored_files(ports)
    if not (known and files.copy(caller.user_id, "upload", upload_id, caller.now, into)):
        why = "upload_id: there is no such upload; an upload is stored for an hour, for one import"
        raise CommonplaceError(ErrorCode.NOT_FOUND, why, "upload_id")


def drop_upload(upload_id: str, caller: Caller, ports: Ports) -> None:
    """Delete an upload, if it exists."""
    if may_be_id(of_type(str, upload_id, "upload_id")):
        stored_files(ports).delete(caller.user_id, "upload", upload_id)


def _read_text(request: ImportMemoriesRequest, caller: Caller, ports: Ports) -> str:
    if request.upload_id is None:
        return request.data or ""
    body = BytesIO()
    uploaded(request.upload_id, body, caller, ports)
    try:
        return body.getvalue().decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid("upload_id", "the file is not UTF-8") from None


def _plan_import(text: str, form: ImportFormat, caller: Caller, ports: Ports, kinds: dict[str, None]) -> Plan:
    """Return the plan that imports a text's valid lines. Adds the kinds of redacted secrets to `kinds`."""
    records, dropped = list[ImportRecord](), list[Dropped]()
    for line, record in ports.in_time(read_lines(text, form)):
        try:
            if isinstance(record, CommonplaceError):
                raise record
            memory, past = checked_record(record, caller.user_id, kinds)
            if memory.agent_id not in (GLOBAL_AGENT, caller.agent_id):
                raise invalid("agent_id", f"must be {GLOBAL_AGENT} or the calling agent")
            records.append(ImportRecord(line, memory, past))
        except CommonplaceError as error:
            dropped.append(Dropped(position=line, code=error.code.label, field=error.field, why=error.message))
    lines = len(records) + len(dropped)
    plan = ImportPlan.of(records, caller, ports)
    dropped += _report_left_out(plan.left_out)
    return Plan(operations=plan.operations(caller, ports), dropped=tuple(dropped), candidates=lines)


def _report_left_out(omissions: Iterable[LeftOut]) -> Iterable[Dropped]:
    """Yield conflicts and refusals, but not known memories, which are only counted."""
    for omission in omissions:
        if omission.outcome == "conflict":
            number, other = omission.record.number, omission.other
            yield Dropped(position=number, memory_id=other, code=omission.code, why=omission.message)
        elif omission.outcome == "refused":
            yield Dropped(position=omission.record.number, code=omission.code, field="memory_id", why=omission.message)


def _build_answer(report: RunReport, notes: Notes) -> ImportMemoriesResult:
    run = report.run
    lost = [operation for operation in run.operations if operation.outcome == "lost" and operation.kind == "ADD"]
    conflicts = [Conflict(line=dropped.position or 0, id=dropped.memory_id) for dropped in run.dropped if dropped.memory_id]
    conflicts += [Conflict(line=operation.position or 0, id=str(operation.memory_id)) for operation in lost]
    stored = [step for step in report.operations if step.operation.outcome in _STORED and step.operation.kind == "ADD"]
    added = sum(operation.kind == "ADD" for operation in run.operations)
    return ImportMemoriesResult(
        run_id=run.run_id if run.operations or run.status in ("queued", "failed") else None,
        status=run.public_status,
        progress=run.progress,
        new=len(stored),
        known=max(0, run.candidates - added - len(run.dropped)),
        conflicts=conflicts,
        refused=[
            RefusedLine(
                line=item.position or 0, field=item.field, code=item.code or ErrorCode.INTERNAL.label, message=item.why
            )
            for item in run.dropped
            if not item.memory_id
        ],
        instructions=[
            Instruction(line=operation.operation.position or 0, content=operation.says or "")
            for operation in stored
            if operation.operation.why == INSTRUCTION
        ],
        notes=notes if notes else None,
    )
