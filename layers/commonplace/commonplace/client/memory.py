"""The Python way in: `Commonplace`, a memory file with a typed method per tool."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from commonplace.bootstrap import local
from commonplace.client.analysis_methods import AnalysisMethods
from commonplace.client.arguments import Place, StoreContext, StoreMetadata
from commonplace.client.keyed_methods import KeyedMethods
from commonplace.client.maintenance_methods import MaintenanceMethods
from commonplace.client.nightly_methods import NightMethods
from commonplace.client.search_methods import SearchMethods
from commonplace.client.transfer_methods import TransferMethods
from commonplace.client.upkeep_methods import UpkeepMethods
from commonplace.domain import results
from commonplace.domain.errors import CommonplaceError, ErrorCode, refuse_half_characters
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.taxonomy import Source, StatementType, ToolGroup
from commonplace.ports.values import Caller, Clock
from commonplace.settings import Settings, read_settings
from commonplace.use_cases import dispatch

if TYPE_CHECKING:
    from commonplace.bootstrap.upkeep import FileReport
    from commonplace.domain.imports import StoreManyResult
    from commonplace.domain.interactions import Erased
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.bundle import Ports
    from commonplace.runs.apply import RunContext

BACKEND = "local"


class Commonplace(
    KeyedMethods, SearchMethods, AnalysisMethods, MaintenanceMethods, NightMethods, TransferMethods, UpkeepMethods
):
    """One user's memories in one file. Use it in a `with` block, or call `close`.

    `path`: the memory file, made if it isn't there. `user_id`: whose memories, a name on this machine. `timezone`: IANA
    name of the user's zone. `now`: a callable that tells the time (aware), for tests and imports; it is brought into that
    zone where one is named. `agent_id`: the agent that asks, which sees its own memories and the global ones.
    `settings`: the environment's, unless given.
    Every method raises `CommonplaceError` with a code, a message and the field at fault.
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, *, user_id: str | None = None, timezone: str | None = None,
        now: Clock | None = None, agent_id: str = GLOBAL_AGENT, settings: Settings | None = None,
    ) -> None:  # fmt: skip
        chosen = settings or read_settings()
        name = chosen.user if user_id is None else user_id
        if not name.strip():
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, "user_id: must not be empty", "user_id")
        self._user_id = f"{BACKEND}|{refuse_half_characters(name, 'user_id')}"
        self._agent_id = refuse_half_characters(agent_id, "agent_id")
        self._clock = local.local_clock(timezone or chosen.timezone, now, "timezone" if timezone else "COMMONPLACE_TIMEZONE")
        if path is not None:
            refuse_half_characters(str(path), "path")
        self._local = local.open_local(chosen.model_copy(update={"db": Path(path)} if path is not None else {}))
        self._local.catch_up(self._user_id)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Lets go of the file."""
        self._local.close()

    def now(self) -> datetime:
        """The time by this memory's clock, in the user's zone."""
        return now if (now := self._clock()).tzinfo else now.astimezone()

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None,
        progress: Callable[[int, int | None], None] | None = None, *, admin: bool = True,
    ) -> dict[str, Any]:  # fmt: skip
        """Any tool by its name, in plain JSON. `progress` is told how much is done, of how much; `admin`: no model asks."""
        ports = self._local.ports if progress is None else replace(self._local.ports, progress=progress)
        result = dispatch.call(tool, arguments or {}, self._caller(admin=admin), ports)
        return dict(result.model_dump(mode="json"))

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """The same, never raising: an HTTP status and a body."""
        return dispatch.answer(tool, arguments, self._caller(), self._local.ports)

    def memory_normalize(self, text: str, *, source: Source = "user", context: str | None = None) -> results.NormalizeResult:
        """A statement in the third person, with type and tags; nothing is stored."""
        return self._typed(results.NormalizeResult, "memory_normalize", text=text, source=source, context=context)

    def memory_store_personal(
        self, raw_text: str, normalized: str, type: StatementType, tags: Sequence[str], *,
        agent_id: str = GLOBAL_AGENT, place: Place | None = None,
    ) -> results.StorePersonalResult:  # fmt: skip
        """Stores a normalized statement, once."""
        return self._typed(
            results.StorePersonalResult, "memory_store_personal", raw_text=raw_text, normalized=normalized, type=type,
            tags=list(tags), agent_id=agent_id, place=place,
        )  # fmt: skip

    def store_memory(self, content: str, *, context: StoreContext | None = None, wait: bool = True) -> results.StoreResult:
        """Remembers a statement as it was said. `wait=False`: without recommendations, which `history` of its id tells."""
        given = {"content": content} | ({} if context is None else {"context": context})
        result = dispatch.call("store_memory", given, self._caller(waits=wait), self._local.ports)
        assert isinstance(result, results.StoreResult)
        return result

    def store_memories(
        self, memories: Sequence[Mapping[str, Any]], *, wait: bool = True, left: Callable[[], float] = lambda: math.inf
    ) -> "StoreManyResult":
        """Stores up to 100 statements, each `{content, context?}` and with its own answer: a refused one stops no other.

        `wait` is that of `store_memory`. `left` tells the seconds that there still are; what they are not enough for is
        refused as retryable.
        """
        from commonplace.contract.validate import check
        from commonplace.domain.imports import StoreManyRequest
        from commonplace.use_cases.store_many import store_memories

        request = check(StoreManyRequest, {"memories": list(memories)})
        return store_memories(request.memories, self._caller(waits=wait), self._local.ports, left)

    def discover_memory_tools(self, tool: str | None = None, *, group: ToolGroup | None = None) -> results.DiscoverResult:
        """The advanced tools and the measured state; with `tool` its whole schema, with `group` what its tools take."""
        return self._typed(results.DiscoverResult, "discover_memory_tools", tool=tool, group=group)

    def memory_store(
        self, content: str, metadata: StoreMetadata, *, id: str | None = None, collection: str | None = None,
        place: Place | None = None,
    ) -> results.StoreInsightResult:  # fmt: skip
        """Stores an insight with its metadata; `metadata` has at least `type` (insight, fact, preference, ...).

        With the `id` of one that is there it is updated: what is left out stays.
        """
        return self._typed(
            results.StoreInsightResult, "memory_store", id=id, content=content, metadata=metadata, collection=collection,
            place=place,
        )  # fmt: skip

    def naming(self, name: str) -> dict[str, str]:
        from commonplace.use_cases.named import naming

        return naming(name, self._caller(), self._ports())

    def erase(self, memory_id: str) -> "Erased":
        """Erases a memory for good, with all that it replaced and all that replaced it; gives the `ids` of what was erased.

        What was merged of it and of others goes, too; of the others one memory is made again, which `made_again` names.
        Where another program reads the file for more than some seconds, words stay in its log for as long, and `notes` says
        so. `delete_memory` is what can be undone. Raises `NOT_FOUND`, and `CONFLICT` while a run of this user is at work.
        """
        return self.leaving().erase_memory(memory_id)

    def leaving(self) -> "ErasableUser":
        """Everything that is kept of the user: `memories()` counts them, `erase()` takes all of it away for good.

        `notes()` tells what is left for a while of anything that was erased, and None once it is gone.
        """
        from commonplace.nightly.user_erasure import ErasableUser

        return ErasableUser(self._context(), self._local.erasure())

    def _context(self) -> "RunContext":
        from commonplace.runs.apply import RunContext

        return RunContext(self._caller(), self._ports(), self._local.night(), self.now)

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Embeds the memories that an older version embedded by another model, and returns how many.

        Writes do it little by little, too. `progress` is told how many are done, of how many.
        """
        return self._local.reindex(self._user_id, progress)

    def check(self, progress: Callable[[int], None] | None = None, repair: bool = False) -> "FileReport":
        """What is the matter with the file, whoever its memories are of: records that can't be read (`flaws.unreadable`),
        dates beyond the bounds (`flaws.held`), what SQLite finds wrong (`faults`), and what is not in line
        (`inconsistencies`, by kind). `repair`: the index of all is brought in line."""
        return self._local.check(progress or (lambda _: None), repair)

    def _ports(self) -> "Ports":
        return self._local.ports.of(self._user_id)

    def _typed(self, kind: type[results.AnyResult], name: str, /, **arguments: Any) -> results.AnyResult:
        given = {field: value for field, value in arguments.items() if value is not None}
        result = dispatch.call(name, given, self._caller(), self._local.ports)
        assert isinstance(result, kind)
        return result

    def _caller(self, waits: bool = True, admin: bool = True) -> Caller:
        return Caller(self._user_id, self.now(), self._agent_id, waits=waits, admin=admin)
