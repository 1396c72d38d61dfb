"""The rows of the tools that bring memories out and in: exports, imports and backups."""

import json
from functools import partial

from commonplace.contract.tool import Hints, Tool
from commonplace.domain import transfer
from commonplace.domain.errors import ErrorCode

_transferring = partial(Tool, function="transfer", tier="advanced", group="migration")

_RECORD = {
    "memory_id": "mem_01M7Y9WZRKKCZMXKBZPYYE31X7", "raw_text": "I play the cello.",
    "normalized_text": "The user plays the cello.", "memory_type": "habit", "category": "contexts",
    "section": "personal_context", "created_at": "2026-05-20T18:30:00+02:00", "updated_at": "2026-05-20T18:30:00+02:00",
}  # fmt: skip
_A_LINE = json.dumps(_RECORD)
_A_TABLE = "\n".join(",".join(row) for row in (_RECORD, _RECORD.values()))

MIGRATION_TOOLS: tuple[Tool, ...] = (
    _transferring(
        name="export_memories",
        title="Export memories as a file",
        description="Makes a file of the memories (JSON Lines, CSV, or Markdown to read), all or those that a filter lets "
        "pass, and keeps it for a day; the user fetches it by the export_id. It never gives their words. A model's call "
        "makes no file: it counts, and tells who may.",
        request=transfer.ExportRequest,
        result=transfer.ExportResult,
        hints=Hints(read_only=False, destructive=False, idempotent=False),
        examples=({}, {"format": "csv", "filter": {"category": "projects", "after": "2026-01-01T00:00:00Z"}}),
        errors=(ErrorCode.NOT_FOUND, ErrorCode.PAYLOAD_TOO_LARGE),
    ),
    _transferring(
        name="import_memories",
        title="Import an export",
        description="Takes in an export as jsonl or csv, from data or an upload: plans first, tells what is "
        "new, known, in conflict and refused, line by line, and applies that plan by its run_id as a run that can be undone. "
        "What is here already stays. A model's call only plans, and tells who may apply it.",
        request=transfer.ImportMemoriesRequest,
        result=transfer.ImportMemoriesResult,
        hints=Hints(read_only=False, destructive=False, idempotent=True),
        examples=({"data": _A_LINE}, {"format": "csv", "data": _A_TABLE}),
        errors=(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.PAYLOAD_TOO_LARGE),
    ),
    _transferring(
        name="backup_restore",
        title="Back up memories and bring them back",
        description="Makes a backup of all memories of the user, with their history, kept for 90 days; lists, verifies or "
        "restores one. A restore is a plan first: missing adds what is gone, replace also resets what was changed and "
        "closes what came later. It is applied by its run_id with confirm, and can be undone. What was erased never comes "
        "back. A model's call only plans a restore, and tells who may apply it.",
        request=transfer.BackupRequest,
        result=transfer.BackupResult,
        hints=Hints(read_only=False, destructive=True, idempotent=False),
        examples=({"action": "backup"}, {"action": "list"}),
        errors=(ErrorCode.NOT_FOUND, ErrorCode.CONFLICT, ErrorCode.MISSING_FIELD),
    ),
)
