"""What `Commonplace` can do about many memories at once: conversations in, records out, and records in again."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonplace.domain.imports import ImportedRecords, ImportResult, Keep
    from commonplace.ports.bundle import Ports
    from commonplace.ports.values import Caller
    from commonplace.use_cases import import_conversation, import_records


class TransferMethods:
    """The methods that take in and give out more than one memory."""

    def _caller(self) -> "Caller":
        """Whose memories, and when; given by the class that has these methods."""
        raise NotImplementedError

    def _ports(self) -> "Ports":
        """The open store; given by the class that has these methods."""
        raise NotImplementedError

    def import_turns(
        self, turns: Sequence[Mapping[str, Any]], keep: "Keep" = "all", progress: "import_conversation.Progress | None" = None
    ) -> "ImportResult":
        """Stores a conversation, a memory per turn: `{session_id, position, speaker, text, event_time?}`.

        Messages as chat APIs have them, `{role, content}`, are turns of one session. `keep="worthy"` leaves out small talk
        and what an assistant says. `progress` is told how many turns are done.
        """
        from commonplace.use_cases.import_conversation import import_turns

        return import_turns(turns, keep, self._caller(), self._ports(), progress)

    def export(self) -> Iterator[dict[str, Any]]:
        """Every record of the user, oldest first, closed ones too."""
        for memory in self._ports().records.all(self._caller().user_id):
            yield memory.model_dump(mode="json")

    def import_records(
        self, records: Iterable[Mapping[str, Any]], apply: bool = False, progress: "import_records.Progress | None" = None
    ) -> "ImportedRecords":
        """Takes in what `export` gave, under the same ids and links; without `apply` it is only told what that would store.

        Memories that are here already stay as they are. `progress` is told how many of how many are stored.
        """
        from commonplace.use_cases.import_records import import_records

        return import_records(list(records), self._caller(), self._ports(), apply, progress)
