"""What `Commonplace` can take in: conversations, records of its own, and what other stores keep."""

from collections.abc import Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.domain.imports import Imported, ImportedRecords, ImportResult, Keep
    from commonplace.domain.taxonomy import ImportKind
    from commonplace.importing.sources import Source
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller
    from commonplace.use_cases import import_conversation, import_facts, import_records


class ImportMethods:
    """The methods that take in what was kept elsewhere."""

    def _caller(self) -> "Caller":
        """Whose memories, and when; given by the class that has these methods."""
        raise NotImplementedError

    def _ports(self) -> "Ports":
        """The open store; given by the class that has these methods."""
        raise NotImplementedError

    def import_from(
        self, path: "str | PathLike[str] | Source", kind: "ImportKind | None" = None, apply: bool = False, *,
        only: str | None = None, passages: bool = False, progress: "import_facts.Progress | None" = None,
    ) -> "Imported":  # fmt: skip
        """Tells what taking in a file or a folder of another store would do, or does it with `apply`, as a run.

        `kind`: `chatgpt`, `claude`, `mem0`, `zep`, `graphiti`, `letta`, `langgraph`, `agentcore`, `mcp-memory`,
        `basic-memory`, `anthropic-memory`, `markdown`, `messages` or `turns`; found out when it is left out. The file is
        only read. What things are called there names their memories from then on, and what came before is `known`.
        `undo_run` takes a run back; of conversations there may be several, in `runs`.

        `only`: the person whose memories are taken in. With several `people` in the file, `apply` raises `INVALID_ARGUMENT`
        without it. `left_out` counts by reason the passages that become no memory; with `passages` they are listed, too.
        """
        from commonplace.importing.kinds import import_source
        from commonplace.importing.sources import Source

        source = path if isinstance(path, Source) else Source(Path(path))
        show = progress or (lambda _done, _of: None)
        how: dict[str, Any] = {"apply": apply, "progress": show, "only": only, "passages": passages}
        return import_source(source, kind, self._caller(), self._ports(), **how)

    def import_turns(
        self, turns: Sequence[Mapping[str, Any]], keep: "Keep" = "all", progress: "import_conversation.Progress | None" = None
    ) -> "ImportResult":
        """Stores a conversation, a memory per turn: `{session_id, position, speaker, text, event_time?}`.

        Messages as chat APIs have them, `{role, content}`, are turns of one session. `keep="worthy"` leaves out small talk
        and what an assistant says. `progress` is told how many turns are done.
        """
        from commonplace.use_cases.import_conversation import import_turns

        return import_turns(turns, keep, self._caller(), self._ports(), progress)

    def import_records(
        self, records: Iterable[Mapping[str, Any]], apply: bool = False, progress: "import_records.Progress | None" = None
    ) -> "ImportedRecords":
        """Takes in what `export` gave, under the same ids and links; without `apply` it is only told what that would store.

        It is a run: `undo_run` takes it back. Memories that are here already stay as they are. `progress` is told how many
        of how many are stored.
        """
        from commonplace.use_cases.import_records import import_records

        return import_records(list(records), self._caller(), self._ports(), apply, progress)
