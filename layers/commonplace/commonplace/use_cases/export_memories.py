"""`export_memories`: memories as a file, stored for the user for a day."""

import hashlib
from collections.abc import Iterable, Iterator
from datetime import timedelta
from itertools import chain
from typing import IO

from commonplace.domain.errors import CommonplaceError, ErrorCode, of_type
from commonplace.domain.fields import Notes, within
from commonplace.domain.ids import may_be_id, new_file_id
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import where_filed
from commonplace.domain.transfer import (
    BY_WHOM,
    MOST_BYTES,
    ExportFilter,
    ExportRequest,
    ExportResult,
    KeptFile,
    PrintedFormat,
)
from commonplace.ports.bundle import Ports
from commonplace.ports.documents import KeptFiles
from commonplace.ports.values import Caller
from commonplace.use_cases.record_files import HISTORY, Record, csv_lines, jsonl_lines

KEPT_FOR = timedelta(days=1)
LINK_SECONDS = 60
MOST_KEPT = 10
IMPORTED_HISTORY = "imported_history"
"""Key in the audit detail of an import: the memory's history at its source."""


def export_memories(request: ExportRequest, caller: Caller, ports: Ports) -> ExportResult:
    """Store the visible memories as a file for a day, or report a `run_id`. A model only gets the count."""
    if request.run_id is not None and request.run_id.startswith("export_"):
        return _export_result(export_file(request.run_id, caller, ports)[0])
    from commonplace.runs.queueing import in_call_or_queued  # deferred: printing records needs no runs
    from commonplace.runs.staging import run_context

    context, nothing = run_context(caller, ports), ExportResult(status="running", count=0)
    return in_call_or_queued(
        "export", request, context, request.run_id, lambda _: _exported(request, caller, ports), nothing
    )  # fmt: skip


def _exported(request: ExportRequest, caller: Caller, ports: Ports) -> ExportResult:
    from commonplace.retrieval.record_scan import visibility_of  # deferred: loads numpy, which printing records doesn't need

    agents = visibility_of(caller).agents
    chosen = [
        memory
        for memory in ports.in_time(ports.records.all(caller.user_id))
        if memory.content and memory.agent_id in agents and (request.include_history or memory.status == "active")
        if _passes(request.filter or ExportFilter(), memory)
    ]
    if not caller.admin:
        may = f"no file was made; that may do {BY_WHOM.format(verb='export')}"
        return ExportResult(status="needs_review", count=len(chosen), notes=Notes(warnings=[may]))
    lines = exported_lines(chosen, request.format, caller, ports, request.include_history)
    body = "".join(ports.in_time(lines)).encode()
    if len(body) > MOST_BYTES:
        why = f"filter: the file would be larger than {MOST_BYTES // 1_000_000} MB; export a part at a time"
        raise CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, why, "filter")
    now, digest = caller.now, hashlib.sha256(body).hexdigest()
    file = KeptFile(
        file_id=new_file_id("export", now), kind="export", format=request.format, made_at=now, expires_at=now + KEPT_FOR,
        count=len(chosen), bytes=len(body), sha256=digest,
    )  # fmt: skip
    keep(file, body, caller, ports)
    return _export_result(file)


def exported_lines(
    memories: Iterable[Memory], form: PrintedFormat, caller: Caller, ports: Ports, with_history: bool = False
) -> Iterator[str]:
    """Return memories as lines of a file. Pages contain only current memories, without history."""
    if form in ("mem0", "langgraph"):
        from commonplace.use_cases.foreign_formats import langgraph_lines, mem0_lines

        there = (one for one in memories if one.status == "active" and not _is_expired(one, caller))
        return mem0_lines(there) if form == "mem0" else langgraph_lines(there)
    if form == "markdown":
        from commonplace.pages.page import zone_of
        from commonplace.pages.publishing import render_pages

        current = [one for one in memories if one.status == "active" and not _is_expired(one, caller)]
        return chain.from_iterable((text, "\n") for text in render_pages(caller.user_id, current, zone_of(caller)).values())
    records = (_record(memory, ports, with_history) for memory in memories)
    return jsonl_lines(records) if form == "jsonl" else csv_lines(records)


def export_file(export_id: str, caller: Caller, ports: Ports) -> tuple[KeptFile, bytes]:
    """Return an export of the caller's user, and its bytes. Raises `NOT_FOUND`."""
    known = may_be_id(of_type(str, export_id, "export_id"))
    found = kept_files(ports).get(caller.user_id, "export", export_id, caller.now) if known else None
    if found is None:
        raise _export_not_found()
    return found


def export_link(export_id: str, caller: Caller, ports: Ports) -> str:
    """Return a link to an export of the caller's user, valid for a minute. Raises `NOT_FOUND`."""
    files = kept_files(ports)
    file = next((one for one in files.listed(caller.user_id, "export", caller.now) if one.file_id == export_id), None)
    link = files.link(caller.user_id, file, LINK_SECONDS) if file is not None else None
    if link is None:
        raise _export_not_found()
    return link


def keep(file: KeptFile, body: bytes | IO[bytes], caller: Caller, ports: Ports, most: int = MOST_KEPT) -> None:
    """Store a file. If the user has more than `most` of its kind, the oldest are deleted."""
    files = kept_files(ports)
    for old in files.listed(caller.user_id, file.kind, caller.now)[most - 1 :]:
        files.delete(caller.user_id, file.kind, old.file_id)
    files.put(caller.user_id, file, body)


def kept_files(ports: Ports) -> KeptFiles:
    """Return the storage of users' files."""
    if ports.files is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this interface stores no files")
    return ports.files


def _export_not_found() -> CommonplaceError:
    why = "export_id: there is no such export; exports are deleted after a day, or when something is erased"
    return CommonplaceError(ErrorCode.NOT_FOUND, why, "export_id")


def _export_result(file: KeptFile) -> ExportResult:
    return ExportResult(
        run_id=file.file_id, status="done", export_id=file.file_id, count=file.count, bytes=file.bytes, sha256=file.sha256,
        expires_at=file.expires_at,
    )  # fmt: skip


def _passes(chosen: ExportFilter, memory: Memory) -> bool:
    category, section = where_filed(chosen.category or "all")
    wanted = (
        (category, memory.category), (section, memory.section), (chosen.type, memory.memory_type),
        (chosen.collection, memory.collection),
    )  # fmt: skip
    is_wanted = all(value is None or value == there for value, there in wanted)
    return is_wanted and within(memory.happened_at, chosen.after, chosen.before)


def _is_expired(memory: Memory, caller: Caller) -> bool:
    return memory.expires_at is not None and memory.expires_at <= caller.now


def _record(memory: Memory, ports: Ports, with_history: bool) -> Record:
    record = memory.model_dump(mode="json")
    if with_history:
        audits = ports.records.audits(memory.user_id, memory.memory_id)
        before = [step for audit in audits for step in _steps(audit.detail.get(IMPORTED_HISTORY))]
        own = [{"operation": audit.operation, "at": audit.at.isoformat()} for audit in audits]
        record[HISTORY] = [*before, *own]
    return record


def _steps(imported: object) -> list[object]:
    return imported if isinstance(imported, list) else []
