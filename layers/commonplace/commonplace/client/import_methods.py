"""What `Commonplace` can take in: conversations, records of its own, and what other stores keep."""

import json
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
        listed: range | None = range(20), progress: "import_facts.Progress | None" = None,
    ) -> "Imported":  # fmt: skip
        """Tells what taking in a file or a folder of another store would do, or does it with `apply`, as a run.

        `kind`: `chatgpt`, `claude`, `mem0`, `zep`, `graphiti`, `letta`, `langgraph`, `basic-memory`, `anthropic-memory`,
        `markdown`, `messages` or `turns`; found out when it is left out. The file is only read. What things are called
        there names their memories from then on, and what came before is `known`. `undo_run` takes a run back; of
        conversations there may be several, in `runs`. `listed`: of which entries, by their places from 0, `memories` tells
        what happens to them. A plan counts all others by their names and words alone; with None it tells all, without their
        secrets and compared with what is alike here, which takes as long as applying it.
        """
        from commonplace.importing.kinds import import_source
        from commonplace.importing.sources import Source

        source = path if isinstance(path, Source) else Source.of(Path(path))
        return import_source(
            source, kind, self._caller(), self._ports(), apply=apply, listed=listed,
            progress=progress or (lambda _done, _of: None),
        )  # fmt: skip

    def import_messages(self, messages: Sequence[Mapping[str, Any]], apply: bool = False) -> "Imported":
        """Tells what reading a conversation would bring, or reads it with `apply`, as a run that `undo_run` takes back.

        `messages`: `{role, content}` as chat APIs have them. Only the user's own words become memories; what the system, a
        developer, a tool or the assistant says never does.
        """
        from commonplace.importing.sources import Source

        return self.import_from(Source(None, json.dumps({"messages": list(messages)}, default=str)), "messages", apply)

    def import_turns(
        self, turns: Sequence[Mapping[str, Any]], keep: "Keep" = "all", progress: "import_conversation.Progress | None" = None
    ) -> "ImportResult":
        """Stores the transcript of a conversation at once, a memory per turn: `{session_id, position, speaker, text,
        event_time?}`, or messages `{role, content}`, which are turns of one session.

        `keep="all"`, the default, stores every turn, whoever said it: what a system or an assistant said is a memory, too.
        `"worthy"` leaves out small talk and what an assistant says. To learn from a chat what its user said of themselves,
        use `import_messages`. `progress` is told how many turns are done.
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
