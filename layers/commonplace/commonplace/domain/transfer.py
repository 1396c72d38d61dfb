"""Requests and results of the tools that export, import and back up memories, and the files that these tools store."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from commonplace.domain.errors import ErrorCode
from commonplace.domain.fields import End, Flag, FrozenPart, Moment, Name, Request, Result, Sent, absent
from commonplace.domain.results import Part
from commonplace.domain.runs import LongResult, PublicStatus
from commonplace.domain.taxonomy import MemoryType, SearchCategory

FileKind = Literal["export", "upload", "backup"]
ImportFormat = Literal["jsonl", "csv"]
FileFormat = Literal["jsonl", "csv", "markdown"]
PrintedFormat = Literal["jsonl", "csv", "markdown", "mem0", "langgraph"]
"""The formats that can be printed directly. Files are stored only in the first three formats."""
BackupAction = Literal["backup", "list", "verify", "restore"]
RestoreMode = Literal["missing", "replace"]

MOST_INLINE, MOST_BYTES, MOST_LINES, MOST_LINE_BYTES, MOST_DEPTH = 256_000, 50_000_000, 100_000, 256_000, 20
"""The limits on an import, in this order: inline bytes, total bytes, lines, bytes per line, and JSON nesting depth."""
MOST_UPLOADED = 200_000_000
"""The maximum total size of one user's uploads, in bytes."""
MEDIA: dict[str, tuple[str, str]] = {
    "jsonl": ("application/x-ndjson", "jsonl"), "csv": ("text/csv; charset=utf-8", "csv"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
}  # fmt: skip
"""The media type and the file extension of each format."""
ADMINS = "a person, by `commonplace {verb}`, or a program with a token that has the scope commonplace/admin"


class StoredFile(FrozenPart):
    """A file stored for a user, without its bytes. Times are aware; `count`: number of memories in it."""

    file_id: str
    kind: FileKind
    format: str
    made_at: datetime
    expires_at: datetime
    count: int = 0
    bytes: int
    sha256: str


class ExportFilter(Request):
    """Filters for an export. Omitted fields don't restrict the export."""

    category: SearchCategory | None = Field(None, description="Only this category or section.")
    type: MemoryType | None = Field(None, description="Only memories of this type.")
    collection: Name | None = Field(None, description="Only this collection.")
    after: Moment | None = Field(None, description="Only memories from then or later, by event time or creation, ISO 8601.")
    before: End | None = Field(None, description="Only memories from before then, by event time or creation, ISO 8601.")


class ExportRequest(Request):
    """An export of memories to a file."""

    format: FileFormat = Field("jsonl", description="import_memories restores jsonl unchanged; markdown is for reading.")
    filter: Annotated[ExportFilter | None, Sent(selects=True)] = Field(
        None, description="Which memories to export; default: all.", json_schema_extra={"minProperties": 1}
    )
    include_history: Flag = Field(False, description="Also export closed memories, and the dated changes of each memory.")
    run_id: Name | None = Field(
        None, description="The run_id or export_id of an earlier call: report it again instead of exporting."
    )


class ExportResult(LongResult):
    run_id: str | None = Field(None, description="To report the same export again.", exclude_if=absent)
    status: PublicStatus = Field(
        description="needs_review: no file was written, notes say who may do it; running: a worker continues the export."
    )
    export_id: str | None = Field(None, description="For GET /exports/{export_id}, to get the file.", exclude_if=absent)
    count: int = Field(description="Number of memories that are, or would be, in the file.")
    bytes: int | None = Field(None, exclude_if=absent)
    sha256: str | None = Field(None, description="SHA-256 of the file, in hex.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When the file is deleted.", exclude_if=absent)


class ImportMemoriesRequest(Request):
    """An export to import, from `data` or an upload; or an earlier plan, by its `run_id`."""

    format: ImportFormat = Field("jsonl", description="The format of the export.")
    data: Annotated[str, Field(max_length=MOST_INLINE)] | None = Field(
        None, description="The export itself, at most 256 KB; upload larger ones."
    )
    upload_id: Name | None = Field(None, description="From POST /uploads: a file of up to 50 MB, for one import.")
    dry_run: Flag = Field(True, description="Only plan the import; the returned run_id applies the plan within 7 days.")
    run_id: Name | None = Field(None, description="An earlier plan, to report or, with dry_run false, to apply.")


class Conflict(Part):
    line: int = Field(description="Line in the file, from 1.")
    id: str = Field(description="The existing memory, which stays unchanged.")


class RefusedLine(Part):
    line: int = Field(description="Line in the file, from 1.")
    field: str | None
    code: str = Field(description="An error code.", json_schema_extra={"enum": [code.label for code in ErrorCode]})
    message: str


class Instruction(Part):
    line: int = Field(description="Line in the file, from 1.")
    content: str = Field(description="Text that every context would contain as the user's standing instruction.")


class ImportMemoriesResult(LongResult):
    run_id: str | None = Field(None, description="To apply the plan, or to undo the import.", exclude_if=absent)
    status: PublicStatus = Field(description="needs_review: planned, not stored yet; running: a worker continues the import.")
    new: int = Field(description="Number of memories that were, or would be, stored.")
    known: int = Field(description="Number of memories that are stored already.")
    conflicts: list[Conflict] = Field(description="Skipped: the id or key belongs to a memory with other content.")
    refused: list[RefusedLine] = Field(description="Lines that can't be imported.")
    instructions: list[Instruction] = Field(description="New memories that are standing instructions: review them.")


class UploadResult(Result):
    upload_id: str = Field(description="For import_memories, once.")
    bytes: int
    sha256: str = Field(description="SHA-256 of the received bytes, in hex.")
    expires_at: datetime = Field(description="An hour from now.")


class BackupRequest(Request):
    """A backup to create, list, verify or restore."""

    action: BackupAction = Field(description="backup creates one, list returns all, verify checks one, restore restores one.")
    backup_id: Name | None = Field(None, description="The backup to verify, or to plan a restore of.")
    mode: RestoreMode | None = Field(
        None, description="For a restore: missing (the default) adds missing memories; replace also resets changed memories "
        "and closes newer ones.",
    )  # fmt: skip
    run_id: Name | None = Field(None, description="The plan of a restore, to report or, with confirm, to apply.")
    confirm: Name | None = Field(None, description="To apply a plan: its backup_id.")


class BackupTold(Part):
    backup_id: str
    as_of: datetime
    count: int = Field(description="Number of memories in it, including closed ones.")
    bytes: int
    sha256: str
    expires_at: datetime


class BackupProblem(FrozenPart):
    """A problem with a backup. `id` is the affected memory, if any."""

    id: str | None = Field(None, exclude_if=absent)
    detail: str


class RefusedMemory(Part):
    id: str
    code: str = Field(description="An error code.", json_schema_extra={"enum": [code.label for code in ErrorCode]})
    message: str


class BackupResult(LongResult):
    backup_id: str | None = Field(None, description="To verify or restore the backup.", exclude_if=absent)
    as_of: datetime | None = Field(None, description="The time of the state in the backup.", exclude_if=absent)
    count: int | None = Field(None, description="Number of memories in it, including closed ones.", exclude_if=absent)
    sha256: str | None = Field(None, description="SHA-256 of the file, in hex.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When it is deleted.", exclude_if=absent)
    backups: list[BackupTold] | None = Field(None, description="Newest first.", exclude_if=absent)
    ok: bool | None = Field(None, description="Whether all of it can be restored.", exclude_if=absent)
    problems: list[BackupProblem] | None = Field(None, exclude_if=absent)
    run_id: str | None = Field(
        None, description="To apply the plan, undo the restore, or report the work of a worker.", exclude_if=absent
    )
    status: PublicStatus | None = Field(
        None, description="needs_review: planned, or not done; running: a worker continues it.", exclude_if=absent
    )
    adds: list[str] | None = Field(None, description="Missing memories that are restored.", exclude_if=absent)
    changes: list[str] | None = Field(None, description="Changed memories that are reset.", exclude_if=absent)
    closes: list[str] | None = Field(None, description="Newer or conflicting memories that are closed.", exclude_if=absent)
    refused: list[RefusedMemory] | None = Field(None, description="Memories that can't be restored.", exclude_if=absent)
