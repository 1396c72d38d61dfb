"""Requests and results of the transfer tools: exports, imports, backups, and their files."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import Field

from commonplace.domain.errors import ErrorCode
from commonplace.domain.fields import End, Flag, FrozenPart, Moment, Name, Request, Result, Sent, absent
from commonplace.domain.results import Part
from commonplace.domain.runs import LongResult, ToldStatus
from commonplace.domain.taxonomy import MemoryType, SearchCategory

FileKind = Literal["export", "upload", "backup"]
ImportFormat = Literal["jsonl", "csv"]
FileFormat = Literal["jsonl", "csv", "markdown"]
PrintedFormat = Literal["jsonl", "csv", "markdown", "mem0", "langgraph"]
"""Formats for immediate output; no file is stored for the last two."""
BackupAction = Literal["backup", "list", "verify", "restore"]
RestoreMode = Literal["missing", "replace"]

MOST_INLINE, MOST_BYTES, MOST_LINES, MOST_LINE_BYTES, MOST_DEPTH = 256_000, 50_000_000, 100_000, 256_000, 20
"""Limits of an import: bytes given inline and in total, lines, bytes of a line, and nesting depth of its JSON."""
MOST_UPLOADED = 200_000_000
"""Limit of all stored uploads of one user, in bytes."""
MEDIA: dict[str, tuple[str, str]] = {
    "jsonl": ("application/x-ndjson", "jsonl"), "csv": ("text/csv; charset=utf-8", "csv"),
    "markdown": ("text/markdown; charset=utf-8", "md"),
}  # fmt: skip
"""For each format: its media type, and its file name extension."""
BY_WHOM = "a person, by `commonplace {verb}`, or a program with a token that has the scope commonplace/admin"


class KeptFile(FrozenPart):
    """A file kept for a user, without its bytes. Times are aware; `count`: how many memories it holds."""

    file_id: str
    kind: FileKind
    format: str
    made_at: datetime
    expires_at: datetime
    count: int = 0
    bytes: int
    sha256: str


class ExportFilter(Request):
    """Which memories are exported; what is left out lets all pass."""

    category: SearchCategory | None = Field(None, description="Only this category or section.")
    type: MemoryType | None = Field(None, description="Only memories of this type.")
    collection: Name | None = Field(None, description="Only this collection.")
    after: Moment | None = Field(None, description="Only what happened, or else was stored, then or later, ISO 8601.")
    before: End | None = Field(None, description="Only what happened, or else was stored, earlier, ISO 8601.")


class ExportRequest(Request):
    """Memories as a file."""

    format: FileFormat = Field("jsonl", description="jsonl comes back unchanged by import_memories; markdown is to be read.")
    filter: Annotated[ExportFilter | None, Sent(selects=True)] = Field(
        None, description="Which memories; all when left out.", json_schema_extra={"minProperties": 1}
    )
    include_history: Flag = Field(False, description="Also closed memories, and what was done to each and when.")
    run_id: Name | None = Field(
        None, description="Of an earlier call, or its export_id: that is told again, and none is made."
    )


class ExportResult(LongResult):
    run_id: str | None = Field(None, description="By which the same export is told again.", exclude_if=absent)
    status: ToldStatus = Field(
        description="needs_review: no file was made, notes say who may make it; running: a worker makes it."
    )
    export_id: str | None = Field(None, description="The file is fetched by GET /exports/{export_id}.", exclude_if=absent)
    count: int = Field(description="How many memories are in it, or would be.")
    bytes: int | None = Field(None, exclude_if=absent)
    sha256: str | None = Field(None, description="Of the file's bytes, in hex.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When the file is taken away.", exclude_if=absent)


class ImportMemoriesRequest(Request):
    """An export to be taken in, from `data` or an upload; or a plan that was made of one, by its `run_id`."""

    format: ImportFormat = Field("jsonl", description="The form of the export.")
    data: Annotated[str, Field(max_length=MOST_INLINE)] | None = Field(
        None, description="The export itself, at most 256 KB; a larger one is uploaded."
    )
    upload_id: Name | None = Field(None, description="What POST /uploads answered: a file of up to 50 MB, for one import.")
    dry_run: Flag = Field(True, description="Only plan it: the answer's run_id applies that plan within 7 days.")
    run_id: Name | None = Field(None, description="A plan made before: it is told, or with dry_run false applied.")


class Conflict(Part):
    line: int = Field(description="Of the file, from 1.")
    id: str = Field(description="The memory that is here and stays as it is.")


class RefusedLine(Part):
    line: int = Field(description="Of the file, from 1.")
    field: str | None
    code: str = Field(description="An error code.", json_schema_extra={"enum": [code.label for code in ErrorCode]})
    message: str


class Instruction(Part):
    line: int = Field(description="Of the file, from 1.")
    content: str = Field(description="Words that would stand in every context as the user's standing wish.")


class ImportMemoriesResult(LongResult):
    run_id: str | None = Field(None, description="Applies the plan, undoes what was applied.", exclude_if=absent)
    status: ToldStatus = Field(description="needs_review: a plan, nothing is stored yet; running: a worker goes on with it.")
    new: int = Field(description="Memories that were stored, or that would be.")
    known: int = Field(description="Memories that are here already.")
    conflicts: list[Conflict] = Field(description="The id, the key or the place is here with another content: left out.")
    refused: list[RefusedLine] = Field(description="Lines that can't be taken in.")
    instructions: list[Instruction] = Field(description="Of the new ones those that are standing instructions: look at them.")


class UploadResult(Result):
    upload_id: str = Field(description="For import_memories, once.")
    bytes: int
    sha256: str = Field(description="Of what came, in hex.")
    expires_at: datetime = Field(description="An hour from now.")


class BackupRequest(Request):
    """A backup to be made, listed, checked, or brought back."""

    action: BackupAction = Field(description="backup makes one, list names all, verify checks one, restore brings it back.")
    backup_id: Name | None = Field(None, description="Which backup: for verify, and for the plan of a restore.")
    mode: RestoreMode | None = Field(
        None, description="Of a restore: missing (the default) adds what is gone; replace also resets what was changed and "
        "closes what came later.",
    )  # fmt: skip
    run_id: Name | None = Field(None, description="The plan of a restore: it is told, or with confirm applied.")
    confirm: Name | None = Field(None, description="To apply a plan: the backup_id that it brings back.")


class BackupTold(Part):
    backup_id: str
    as_of: datetime
    count: int = Field(description="How many memories are in it, closed ones too.")
    bytes: int
    sha256: str
    expires_at: datetime


class BackupProblem(FrozenPart):
    """Something that is wrong with a backup; `id`: with which memory in it."""

    id: str | None = Field(None, exclude_if=absent)
    detail: str


class RefusedMemory(Part):
    id: str
    code: str = Field(description="An error code.", json_schema_extra={"enum": [code.label for code in ErrorCode]})
    message: str


class BackupResult(LongResult):
    backup_id: str | None = Field(None, description="By which the backup is checked and brought back.", exclude_if=absent)
    as_of: datetime | None = Field(None, description="The moment whose state it is.", exclude_if=absent)
    count: int | None = Field(None, description="How many memories are in it, closed ones too.", exclude_if=absent)
    sha256: str | None = Field(None, description="Of the file's bytes, in hex.", exclude_if=absent)
    expires_at: datetime | None = Field(None, description="When it is taken away.", exclude_if=absent)
    backups: list[BackupTold] | None = Field(None, description="Newest first.", exclude_if=absent)
    ok: bool | None = Field(None, description="Whether all of it can be brought back.", exclude_if=absent)
    problems: list[BackupProblem] | None = Field(None, exclude_if=absent)
    run_id: str | None = Field(
        None, description="Applies the plan, undoes what was applied; tells what a worker goes on with.", exclude_if=absent
    )
    status: ToldStatus | None = Field(
        None, description="needs_review: a plan, or not done; running: a worker goes on with it.", exclude_if=absent
    )
    adds: list[str] | None = Field(None, description="Memories that are gone and come back.", exclude_if=absent)
    changes: list[str] | None = Field(None, description="Memories that become what they were.", exclude_if=absent)
    closes: list[str] | None = Field(None, description="Memories that came later, or took a place.", exclude_if=absent)
    refused: list[RefusedMemory] | None = Field(None, description="Memories that do not come back.", exclude_if=absent)
