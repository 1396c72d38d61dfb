"""Provides the bulk methods of `Commonplace`, which import, export, back up and migrate memories."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, cast

from commonplace.client.arguments import ExportFilter, as_path
from commonplace.domain import transfer
from commonplace.domain.errors import invalid, list_of
from commonplace.domain.results import AnyResult

if TYPE_CHECKING:
    from commonplace.domain.imports import Imported, ImportResult, Keep
    from commonplace.domain.legacy import Migration, MigrationCheck
    from commonplace.domain.taxonomy import ImportKind
    from commonplace.importing.sources import Source
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller
    from commonplace.use_cases import import_conversation, import_facts, import_records
    from commonplace.use_cases.filing import Filing
    from commonplace.use_cases.migration import Progress

AnyPath = str | PathLike[str]
_MOST_BYTES = 500_000_000  # limit of a TinyDB file


class TransferMethods:
    """Methods that import or export more than one memory."""

    _build_caller: "Callable[[], Caller]"
    _get_ports: "Callable[[], Ports]"
    """Return the caller with the current time, and the open ports. The subclass implements both as methods."""

    def _run_tool(self, kind: type[AnyResult], name: str, /, **arguments: Any) -> AnyResult:
        """Call a tool with the arguments that are not None. Subclasses implement this method."""
        raise NotImplementedError

    def import_from(
        self, path: "str | PathLike[str] | Source", kind: "ImportKind | None" = None, apply: bool = False, *,
        only: str | None = None, listed: range | None = range(20), progress: "import_facts.Progress | None" = None,
    ) -> "Imported":  # fmt: skip
        """Report what an import of a file or folder would do. If `apply` is true, import it as a run.

        `kind` is `chatgpt`, `claude`, `mem0`, `zep`, `graphiti`, `letta`, `langgraph`, `agentcore`, `mcp-memory`,
        `basic-memory`, `anthropic-memory`, `markdown`, `messages`, `turns` or `commonplace`, and is detected if omitted. The
        file is not changed. The ids in the other store also identify the new memories. Entries from earlier imports count as
        `known`. `undo_run` undoes a run. An import of conversations may have several `runs`.

        `only` is the person whose memories are imported. If the file has several `people`, `apply` raises `INVALID_ARGUMENT`
        without `only`. `left_out` counts the passages that yield no memory, by reason. `memories` reports the entries at the
        positions in `listed`, from 0. A plan compares the other entries only by name and words. If `listed` is None, a plan
        reports all entries, looks for secrets and similar memories, and takes as long as applying. `passages` then contains
        the first 10,000 passages that are left out.
        """
        from commonplace.importing.kinds import import_source
        from commonplace.importing.sources import Source

        source = path if isinstance(path, Source) else Source.of(as_path(path, "path"))
        show = progress or (lambda _done, _of: None)
        how: dict[str, Any] = {"apply": apply, "only": only, "listed": listed, "progress": show}
        return import_source(source, kind, self._build_caller(), self._get_ports(), **how)

    def import_messages(self, messages: Sequence[Mapping[str, Any]], apply: bool = False) -> "Imported":
        """Report which memories a conversation would add. If `apply` is true, add them as a run, which `undo_run` undoes.

        Each message is `{role, content}`, as in chat APIs. Only the user's own words become memories, never messages of the
        system, a developer, a tool or the assistant.
        """
        from commonplace.importing.sources import Source

        return self.import_from(
            Source(None, json.dumps({"messages": list_of(messages, "messages")}, default=str)), "messages", apply
        )

    def import_turns(
        self, turns: Sequence[Mapping[str, Any]], keep: "Keep" = "all", progress: "import_conversation.Progress | None" = None
    ) -> "ImportResult":
        """Store the transcript of a conversation at once, with one memory per turn.

        A turn is `{session_id, position, speaker, text, event_time?}` or a message `{role, content}`. Messages are turns of
        one session.

        `keep="all"`, the default, stores every turn of every speaker. System and assistant turns become memories, too.
        `keep="worthy"` omits small talk and assistant turns. Use `import_messages` to store only what users say about
        themselves. `progress` receives the number of turns done.
        """
        from commonplace.use_cases.import_conversation import import_turns

        return import_turns(turns, keep, self._build_caller(), self._get_ports(), progress)

    def import_records(
        self, records: "import_records.Records", apply: bool = False, progress: "import_records.Progress | None" = None
    ) -> "Imported":
        """Import the records from `export` with the same ids and links. If `apply` is False, only report what it would store.

        The import is a run, so `undo_run` undoes it. Existing memories stay unchanged. `progress` receives the number stored
        and the total. A malformed record raises an error, or is refused alone if `records` maps line numbers to records.
        """
        from commonplace.use_cases.import_records import import_records

        if not (isinstance(records, Mapping) and records and all(isinstance(line, int) for line in records)):
            records = cast("list[Mapping[str, Any]]", list_of(records, "records"))
        return import_records(records, self._build_caller(), self._get_ports(), apply, progress)

    def export(self) -> Iterator[dict[str, Any]]:
        """Yield every record of the user, oldest first, including closed memories."""
        for memory in self._get_ports().records.all(self._build_caller().user_id):
            yield memory.model_dump(mode="json")

    def export_lines(self, format: transfer.PrintedFormat = "jsonl") -> Iterator[str]:
        """Yield the lines of an export file. JSON Lines begins with a header. Markdown contains only the current memories.

        `mem0` and `langgraph` also contain only the current memories. `mem0` is the format of mem0's `get_all`. `langgraph`
        is a list of LangGraph items.
        """
        from commonplace.use_cases.export_memories import exported_lines

        caller, ports = self._build_caller(), self._get_ports()
        return exported_lines(ports.records.all(caller.user_id), format, caller, ports)

    def export_memories(
        self, format: transfer.FileFormat = "jsonl", *, filter: ExportFilter | None = None, include_history: bool = False,
        run_id: str | None = None,
    ) -> transfer.ExportResult:  # fmt: skip
        """Write the memories to a file that is available for a day. If `run_id` is given, report on an earlier export."""
        return self._run_tool(
            transfer.ExportResult, "export_memories", format=format, filter=filter, include_history=include_history,
            run_id=run_id,
        )  # fmt: skip

    def export_file(self, export_id: str) -> tuple[transfer.StoredFile, bytes]:
        """Return the description and the bytes of a file that `export_memories` made."""
        from commonplace.use_cases.export_memories import export_file

        return export_file(export_id, self._build_caller(), self._get_ports())

    def import_memories(
        self, data: str | None = None, *, format: transfer.ImportFormat = "jsonl", upload_id: str | None = None,
        dry_run: bool = True, run_id: str | None = None,
    ) -> transfer.ImportMemoriesResult:  # fmt: skip
        """Plan the import of an exported file. `dry_run=False` applies the plan. `run_id` refers to an earlier plan."""
        return self._run_tool(
            transfer.ImportMemoriesResult, "import_memories", data=data, format=format, upload_id=upload_id,
            dry_run=dry_run, run_id=run_id,
        )  # fmt: skip

    def backup(self) -> transfer.BackupResult:
        """Make a backup of all memories with their history. The result contains the `backup_id`."""
        return self._run_tool(transfer.BackupResult, "backup_restore", action="backup")

    def backups(self) -> list[transfer.BackupTold]:
        """Return the retained backups, newest first."""
        return self._run_tool(transfer.BackupResult, "backup_restore", action="list").backups or []

    def verify(self, backup_id: str) -> transfer.BackupResult:
        """Report whether a backup can be restored completely (`ok`), and its `problems`."""
        return self._run_tool(transfer.BackupResult, "backup_restore", action="verify", backup_id=backup_id)

    def restore(
        self, backup_id: str | None = None, mode: transfer.RestoreMode | None = None, *, run_id: str | None = None,
        confirm: str | None = None,
    ) -> transfer.BackupResult:  # fmt: skip
        """Plan the restore of a backup. To apply a plan, pass its `run_id`, and the backup's id as `confirm`."""
        return self._run_tool(
            transfer.BackupResult, "backup_restore", action="restore", backup_id=backup_id, mode=mode, run_id=run_id,
            confirm=confirm,
        )  # fmt: skip

    def upload(self, body: bytes | IO[bytes]) -> transfer.UploadResult:
        """Store a file for one `import_memories` call within the next hour. Limits are 50 MB per file and 200 MB in total."""
        from commonplace.use_cases.import_memories import keep_upload

        return keep_upload(body, self._build_caller(), self._get_ports())

    def uploaded(self, upload_id: str, into: IO[bytes]) -> None:
        """Copy an uploaded file into a binary file. Raises `NOT_FOUND` if the upload has expired."""
        from commonplace.use_cases.import_memories import uploaded

        uploaded(upload_id, into, self._build_caller(), self._get_ports())

    def drop_upload(self, upload_id: str) -> None:
        """Delete an upload before it expires."""
        from commonplace.use_cases.import_memories import drop_upload

        drop_upload(upload_id, self._build_caller(), self._get_ports())

    def migrate_tinydb(
        self, path: AnyPath, review: AnyPath | None = None, categories: AnyPath | None = None, apply: bool = False, *,
        tables: Sequence[str] = (), fields: Mapping[str, str] | None = None, progress: "Progress | None" = None,
    ) -> "Migration":  # fmt: skip
        """Report what a migration of a TinyDB file would do. If `apply` is true, migrate it as a run that `undo_run` undoes.

        `review` is a table of decisions for a person, which is read if it exists and otherwise written. `categories` maps
        old names to categories. `tables` limits the migrated tables. `fields` maps our field names to names in the file
        (`{"content": "body"}`). The old file is not changed. Old ids also identify the new memories.
        """
        from commonplace.use_cases.filing import write_review
        from commonplace.use_cases.migration import migrate

        done = migrate(
            _read(as_path(path, "path"), "path"), self._build_caller(), self._get_ports(), _load_filing(review, categories),
            tables=tables, fields=fields, apply=apply, progress=progress or (lambda _done, _of: None),
        )  # fmt: skip
        if review is not None and done.review and not Path(review).exists():
            _write_file(Path(review), write_review(done.review))
        return done

    def check_migration(
        self, path: AnyPath, queries: AnyPath | None = None, *, tables: Sequence[str] = (),
        fields: Mapping[str, str] | None = None, progress: "Progress | None" = None,
    ) -> "MigrationCheck":  # fmt: skip
        """Compare the first ten results of the old store's searches with ours. Nothing is changed or counted.

        `queries` contains JSON lines `{"query", "expected"?}` with old ids. By default, the queries are the old tags, and
        each should find the memories with that tag.
        """
        from commonplace.use_cases.migration_check import check_migration

        query_text = None if queries is None else _read_text(queries, "queries")
        return check_migration(
            _read(as_path(path, "path"), "path"), self._build_caller(), self._get_ports(), query_text, tables=tables,
            fields=fields, progress=progress or (lambda _done, _of: None),
        )  # fmt: skip


def _load_filing(review: AnyPath | None, categories: AnyPath | None) -> "Filing":
    """Read the table of categories and, if it exists, the table of decisions."""
    from commonplace.use_cases.filing import Filing, read_categories, read_review

    named = {} if categories is None else read_categories(_read_text(categories, "categories"))
    exists = review is not None and as_path(review, "review").exists()
    if review is not None and not exists and not Path(review).absolute().parent.is_dir():
        raise invalid("review", "its folder does not exist")
    return Filing(named, read_review(_read_text(review, "review")) if review is not None and exists else {})


def _read(path: AnyPath, field: str) -> bytes:
    """Return the content of a file. Raises an error that names `field` if the file is missing or larger than 500 MB."""
    from commonplace.importing.sources import read_file

    return read_file(Path(path), field, _MOST_BYTES)


def _read_text(path: AnyPath, field: str) -> str:
    try:
        return _read(as_path(path, field), field).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise invalid(field, "is not UTF-8") from None


def _write_file(path: Path, text: str) -> None:
    """Write a new file. The byte order mark lets spreadsheets detect UTF-8."""
    try:
        with path.open("x", encoding="utf-8-sig", newline="") as file:
            file.write(text)
    except OSError as error:
        raise invalid("review", f"{error.strerror}") from error
