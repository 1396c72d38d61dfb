"""Implement `export_memories`, which writes memories to a file that is stored for a day."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, timedelta
from itertools import chain
from typing import IO, Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, of_type
from commonplace.domain.fields import Notes, within
from commonplace.domain.ids import may_be_id, new_file_id
from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import where_filed
from commonplace.domain.transfer import (
    ADMINS,
    MOST_BYTES,
    ExportFilter,
    ExportRequest,
    ExportResult,
    PrintedFormat,
    StoredFile,
)
from commonplace.ports.bundle import Ports
from commonplace.ports.documents import StoredFiles
from commonplace.ports.values import Caller
from commonplace.use_cases.record_files import HISTORY, Record, csv_lines, jsonl_lines

_MORE = (
    "memory_type", "category", "importance", "source", "origin", "key", "collection", "session_id", "position", "speaker",
    "event_time", "valid_from", "user_note",
)  # fmt: skip
NAMESPACE = "memories"
RETENTION = timedelta(days=1)
LINK_SECONDS = 60
MOST_EXPORTS = 10
IMPORTED_HISTORY = "imported_history"
"""A key in an import's audit detail. The value is the memory's history at the source."""


def export_memories(request: ExportRequest, caller: Caller, ports: Ports) -> ExportResult:
    """Export the visible memories to a file, which is stored for a day. With `run_id`, report an earlier export instead."""
    if request.run_id is not None and request.run_id.startswith("export_"):
        return _build_export_result(export_file(request.run_id, caller, ports)[0])
    from commonplace.runs.queueing import in_call_or_queued  # deferred, because printing records needs no runs
    from commonplace.runs.staging import run_context

    context, nothing = run_context(caller, ports), ExportResult(status="running", count=0)
    return in_call_or_queued(
        "export", request, context, request.run_id, lambda _: _export_chosen(request, caller, ports), nothing
    )  # fmt: skip


def _export_chosen(request: ExportRequest, caller: Caller, ports: Ports) -> ExportResult:
    """Store the chosen memories in an export file. A model only gets their number and the status `needs_review`."""
    from commonplace.retrieval.record_scan import visibility_of  # loads numpy, which printing records doesn't need

    agents = visibility_of(caller).agents
    chosen = [
        memory
        for memory in ports.in_time(ports.records.all(caller.user_id))
        if memory.content and memory.agent_id in agents and (request.include_history or memory.status == "active")
        if _matches_filter(request.filter or ExportFilter(), memory)
    ]
    if not caller.admin:
        may = f"no file was made; that may do {ADMINS.format(verb='export')}"
        return ExportResult(status="needs_review", count=len(chosen), notes=Notes(warnings=[may]))
    lines = exported_lines(chosen, request.format, caller, ports, request.include_history)
    body = "".join(ports.in_time(lines)).encode()
    if len(body) > MOST_BYTES:
        why = f"filter: the file would be larger than {MOST_BYTES // 1_000_000} MB; export a part at a time"
        raise CommonplaceError(ErrorCode.PAYLOAD_TOO_LARGE, why, "filter")
    now, digest = caller.now, hashlib.sha256(body).hexdigest()
    file = StoredFile(
        file_id=new_file_id("export", now), kind="export", format=request.format, made_at=now, expires_at=now + RETENTION,
        count=len(chosen), bytes=len(body), sha256=digest,
    )  # fmt: skip
    keep(file, body, caller, ports)
    return _build_export_result(file)


def exported_lines(
    memories: Iterable[Memory], form: PrintedFormat, caller: Caller, ports: Ports, with_history: bool = False
) -> Iterator[str]:
    """Yield the lines of an export file. Only JSON Lines and CSV include closed and expired memories and their history."""
    current = (memory for memory in memories if memory.status == "active" and not memory.has_expired(caller.now))
    if form == "mem0":
        return _format_json_list('{"results": [', map(_build_mem0_entry, current), "]}")
    if form == "langgraph":
        return _format_json_list("[", map(_build_langgraph_item, current), "]")
    if form == "markdown":
        from commonplace.pages.page import zone_of
        from commonplace.pages.publishing import render_pages

        pages = render_pages(caller.user_id, list(current), zone_of(caller))
        return chain.from_iterable((text, "\n") for text in pages.values())
    records = (_build_record(memory, ports, with_history) for memory in memories)
    return jsonl_lines(records) if form == "jsonl" else csv_lines(records)


def export_file(export_id: str, caller: Caller, ports: Ports) -> tuple[StoredFile, bytes]:
    """Return one of the user's exports and its content. Raises `NOT_FOUND` for an unknown or expired export."""
    known = may_be_id(of_type(str, export_id, "export_id"))
    file_read = stored_files(ports).get(caller.user_id, "export", export_id, caller.now) if known else None
    if file_read is None:
        raise _build_not_found_error()
    return file_read


def export_link(export_id: str, caller: Caller, ports: Ports) -> str:
    """Return a link to one of the user's exports, valid for a minute. Raises `NOT_FOUND` for an unknown or expired export."""
    files = stored_files(ports)
    file = next((file for file in files.listed(caller.user_id, "export", caller.now) if file.file_id == export_id), None)
    link = files.link(caller.user_id, file, LINK_SECONDS) if file is not None else None
    if link is None:
        raise _build_not_found_error()
    return link


def keep(file: StoredFile, body: bytes | IO[bytes], caller: Caller, ports: Ports, most: int = MOST_EXPORTS) -> None:
    """Store a file, then delete the user's oldest files of its kind beyond `most`. If storing fails, none is deleted."""
    files = stored_files(ports)
    oldest = files.listed(caller.user_id, file.kind, caller.now)[most - 1 :]
    files.put(caller.user_id, file, body)
    for old in oldest:
        files.delete(caller.user_id, file.kind, old.file_id)


def stored_files(ports: Ports) -> StoredFiles:
    """Return the storage for users' files. Raises `INTERNAL` if this interface has none."""
    if ports.files is None:
        raise CommonplaceError(ErrorCode.INTERNAL, "this interface stores no files")
    return ports.files


def _build_not_found_error() -> CommonplaceError:
    why = "export_id: there is no such export; exports are deleted after a day, or when something is erased"
    return CommonplaceError(ErrorCode.NOT_FOUND, why, "export_id")


def _build_export_result(file: StoredFile) -> ExportResult:
    return ExportResult(
        run_id=file.file_id, status="done", export_id=file.file_id, count=file.count, bytes=file.bytes, sha256=file.sha256,
        expires_at=file.expires_at,
    )  # fmt: skip


def _matches_filter(chosen: ExportFilter, memory: Memory) -> bool:
    """Return whether the category or section, the type and the collection match, and `after` <= `happened_at` < `before`."""
    category, section = where_filed(chosen.category or "all")
    wanted = (
        (category, memory.category), (section, memory.section), (chosen.type, memory.memory_type),
        (chosen.collection, memory.collection),
    )  # fmt: skip
    is_wanted = all(value is None or value == present for value, present in wanted)
    return is_wanted and within(memory.happened_at, chosen.after, chosen.before)


def _build_record(memory: Memory, ports: Ports, with_history: bool) -> Record:
    record = memory.model_dump(mode="json")
    if with_history:
        audits = ports.records.audits(memory.user_id, memory.memory_id)
        imported = (audit.detail.get(IMPORTED_HISTORY) for audit in audits)
        before = [step for steps in imported if isinstance(steps, list) for step in steps]
        own = [{"operation": audit.operation, "at": audit.at.isoformat()} for audit in audits]
        record[HISTORY] = [*before, *own]
    return record


def _format_json_list(begins: str, entries: Iterable[Mapping[str, Any]], ends: str) -> Iterator[str]:
    yield begins
    for number, entry in enumerate(entries):
        yield f"{',' if number else ''}\n{json.dumps(entry, ensure_ascii=False)}"
    yield from ("\n", ends, "\n")


def _build_mem0_entry(memory: Memory) -> dict[str, Any]:
    """Return an item in the format of mem0's `get_all`. Tags become categories, and other fields become metadata."""
    fields = memory.model_dump(mode="json")
    expires = memory.expires_at
    return {
        "id": memory.memory_id,
        "memory": memory.content,
        "user_id": _parse_user_name(memory),
        "role": "assistant" if memory.source == "agent" else memory.source,
        "categories": list(memory.tags),
        "created_at": fields["created_at"],
        "updated_at": fields["updated_at"],
        "expiration_date": expires.astimezone(UTC).date().isoformat() if expires is not None else None,
        "metadata": _pick_extra_fields(fields),
    }


def _build_langgraph_item(memory: Memory) -> dict[str, Any]:
    """Return an item like LangGraph's `Item.dict()`, for `store.put(tuple(namespace), key, value)`."""
    fields = memory.model_dump(mode="json")
    expires = {"expires_at": fields["expires_at"]} if memory.expires_at is not None else {}
    return {
        "namespace": [NAMESPACE, _parse_user_name(memory).replace(".", "_")],  # LangGraph forbids dots there
        "key": memory.memory_id,
        "value": {"content": memory.content, "tags": list(memory.tags), **_pick_extra_fields(fields), **expires},
        "created_at": fields["created_at"],
        "updated_at": fields["updated_at"],
    }


def _pick_extra_fields(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: fields[name] for name in _MORE if fields.get(name) is not None}


def _parse_user_name(memory: Memory) -> str:
    return memory.user_id.partition("|")[2] or memory.user_id
