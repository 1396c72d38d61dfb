"""Provides the Python interface. `Commonplace` opens a memory file and has a typed method for each tool."""

import math
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING, Any, Literal, Self

from commonplace.bootstrap import local
from commonplace.client import arguments
from commonplace.client.arguments import FilterOptions, InsightFilter, Place, SearchOptions, StoreContext, StoreMetadata
from commonplace.client.nightly_methods import NightMethods
from commonplace.client.transfer_methods import TransferMethods
from commonplace.domain import analysis, interactions, maintenance, results, storage
from commonplace.domain.analysis import UsageResult
from commonplace.domain.consistency import RepairResult, Scope, TraceResult, ValidateResult
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid, list_of, refuse_half_characters
from commonplace.domain.flaws import gathered
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.domain.taxonomy import (
    Category,
    Durability,
    Granularity,
    MemoryType,
    SearchCategory,
    Section,
    Source,
    StatementType,
    ToolGroup,
)
from commonplace.ports.values import Caller, Clock
from commonplace.settings import Settings, read_settings
from commonplace.use_cases import dispatch

if TYPE_CHECKING:
    from commonplace.bootstrap.upkeep import FileReport
    from commonplace.client.documents import Documents
    from commonplace.domain.analysis import FeedbackResult, ForgottenFeedback
    from commonplace.domain.imports import StoreManyResult
    from commonplace.domain.interactions import Erased
    from commonplace.nightly.user_erasure import ErasableUser
    from commonplace.ports.bundle import Ports
    from commonplace.runs.apply import RunContext

BACKEND = "local"


def refuse_if_forked(process: int) -> None:
    """Raise `STORAGE_UNAVAILABLE` in a forked process, because threads and SQLite connections don't survive a fork."""
    if process != os.getpid():
        why = "this memory was opened before the process was forked; open it again in the new process"
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, why)


class Commonplace(NightMethods, TransferMethods):
    """One user's memories in one file. Use it in a `with` block, or call `close`.

    `path` is the memory file, which is created if it doesn't exist. `user_id` is the owner of the memories. `timezone` is the
    IANA name of the user's time zone. `now` returns the current, timezone-aware time for tests and imports. The
    time is converted to `timezone` if given. `agent_id` is the calling agent, which sees its own and global memories.
    `settings` come from the environment by default.

    Methods raise `CommonplaceError`, which has a code, a message and, if a field is invalid, the name of the field.
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, *, user_id: str | None = None, timezone: str | None = None,
        now: Clock | None = None, agent_id: str = GLOBAL_AGENT, settings: Settings | None = None,
    ) -> None:  # fmt: skip
        chosen = settings or read_settings()
        name = chosen.user if user_id is None else user_id
        if not name.strip():
            raise invalid("user_id", "must not be empty")
        self._user_id = f"{BACKEND}|{refuse_half_characters(name, 'user_id')}"
        self._agent_id = refuse_half_characters(agent_id, "agent_id")
        self._clock = local.local_clock(timezone or chosen.timezone, now, "timezone" if timezone else "COMMONPLACE_TIMEZONE")
        self._process = os.getpid()
        given = {} if path is None else {"db": arguments.as_path(path, "path")}
        self._opened = local.open_local(chosen.model_copy(update=given))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file, but do nothing in a forked process."""
        if self._process == os.getpid():
            self._opened.close()

    @property
    def _local(self) -> local.OpenStore:
        refuse_if_forked(self._process)
        return self._opened

    def now(self) -> datetime:
        """Return the current time of this memory's clock in the user's time zone."""
        return now if (now := self._clock()).tzinfo else now.astimezone()

    def call(
        self, tool: str, arguments: Mapping[str, Any] | None = None,
        progress: Callable[[int, int | None], None] | None = None, *, admin: bool = True,
    ) -> dict[str, Any]:  # fmt: skip
        """Call any tool by its name and return plain JSON.

        `progress` receives the number of steps done, and the total if known. `admin` means that the caller is not a model.
        """
        ports = self._local.ports if progress is None else replace(self._local.ports, progress=progress)
        result = dispatch.call(tool, arguments or {}, self._build_caller(admin=admin), ports)
        return dict(result.model_dump(mode="json"))

    def answer(self, tool: str, arguments: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Call any tool like `call`, but return an HTTP status and a body instead of raising an error."""
        return dispatch.answer(tool, arguments, self._build_caller(), self._local.ports)

    def memory_normalize(self, text: str, *, source: Source = "user", context: str | None = None) -> results.NormalizeResult:
        """Rewrite a statement in the third person, with a type and tags. Nothing is stored."""
        return self._run_tool(results.NormalizeResult, "memory_normalize", text=text, source=source, context=context)

    def memory_store_personal(
        self, raw_text: str, normalized: str, type: StatementType, tags: Sequence[str], *,
        agent_id: str = GLOBAL_AGENT, place: Place | None = None,
    ) -> results.StorePersonalResult:  # fmt: skip
        """Store a normalized statement, unless it is stored already."""
        return self._run_tool(
            results.StorePersonalResult, "memory_store_personal", raw_text=raw_text, normalized=normalized, type=type,
            tags=list_of(tags, "tags"), agent_id=agent_id, place=place,
        )  # fmt: skip

    def store_memory(self, content: str, *, context: StoreContext | None = None, wait: bool = True) -> results.StoreResult:
        """Store a statement verbatim. If `wait` is False, recommendations are omitted, but `history` returns them later."""
        arguments = {"content": content} | ({} if context is None else {"context": context})
        return self._run_as(self._build_caller(waits=wait), results.StoreResult, "store_memory", arguments)

    def store_memories(
        self, memories: Sequence[Mapping[str, Any]], *, wait: bool = True, left: Callable[[], float] = lambda: math.inf
    ) -> "StoreManyResult":
        """Store up to 100 statements, each `{content, context?}`, and return a result for each.

        A refused statement doesn't stop the others. For `wait`, see `store_memory`. `left` returns the remaining seconds. If
        too little time is left, the remaining statements are refused and can be retried.
        """
        from commonplace.contract.validate import check
        from commonplace.domain.imports import StoreManyRequest
        from commonplace.use_cases.store_many import store_memories

        request = check(StoreManyRequest, {"memories": list_of(memories, "memories")})
        return store_memories(request.memories, self._build_caller(waits=wait), self._local.ports, left)

    def discover_memory_tools(self, tool: str | None = None, *, group: ToolGroup | None = None) -> results.DiscoverResult:
        """Return the advanced tools and the memories' state. `tool` adds its schema. `group` adds its tools' arguments."""
        return self._run_tool(results.DiscoverResult, "discover_memory_tools", tool=tool, group=group)

    def memory_store(
        self, content: str, metadata: StoreMetadata, *, id: str | None = None, collection: str | None = None,
        place: Place | None = None,
    ) -> results.StoreInsightResult:  # fmt: skip
        """Store an insight. `metadata` must contain `type` (insight, fact, preference, ...).

        If `id` is the id of an existing insight, the insight is updated, and omitted fields stay unchanged.
        """
        return self._run_tool(
            results.StoreInsightResult, "memory_store", id=id, content=content, metadata=metadata, collection=collection,
            place=place,
        )  # fmt: skip

    @property
    def documents(self) -> "Documents":
        """The user's documents, which are whole texts under a namespace and a key, with their versions."""
        from commonplace.client.documents import Documents

        return Documents(self._build_caller, self._get_ports, self.erasure)

    def get(self, name: str) -> storage.KeptMemory:
        """Return a stored memory by its id, by its key, or by its id in another store."""
        return self._run_tool(storage.GetResult, "get_memory", **self.naming(name)).memory

    def write_memory(
        self, key: str, value: str, category: Section, durability: Durability = "durable", *, source: str = "user",
        confidence: float = 1.0, allow_similar: bool = False,
    ) -> storage.WriteResult:  # fmt: skip
        """Write a fact under a key. In the result, `written` is False if the key or the fact exists already."""
        return self._run_tool(
            storage.WriteResult, "write_memory", key=key, value=value, category=category, durability=durability,
            source=source, confidence=confidence, allow_similar=allow_similar,
        )  # fmt: skip

    def read_memory(self, category: Section, *, limit: int = 20) -> storage.ReadResult:
        """Return the memories under a heading, most important first."""
        return self._run_tool(storage.ReadResult, "read_memory", category=category, limit=limit)

    def get_memory(self, memory_id: str | None = None, *, key: str | None = None) -> storage.GetResult:
        """Return a stored memory by its id or its key."""
        return self._run_tool(storage.GetResult, "get_memory", memory_id=memory_id, key=key)

    def list_memories(
        self, *, limit: int = 20, category: SearchCategory | None = None, options: FilterOptions | None = None,
        cursor: str | None = None,
    ) -> storage.ListResult:  # fmt: skip
        """Return a page of the memories, newest first. `cursor` comes from the previous page."""
        return self._run_tool(
            storage.ListResult, "list_memories", limit=limit, category=category, options=options, cursor=cursor
        )

    def tags(self, *, limit: int = 500, cursor: str | None = None) -> storage.TagsResult:
        """Return a page of tags in use, by name, each with its number of memories. `cursor` comes from the previous page."""
        from commonplace.contract.validate import check
        from commonplace.use_cases.listing import list_tags

        request = check(storage.TagsRequest, {"limit": limit, "cursor": cursor})
        with gathered() as flaws:
            tags = list_tags(request, self._build_caller(), self._get_ports())
        return tags.naming(flaws)

    def tag_uses(self) -> list[storage.TagUse]:
        """Return all tags with their first and last use, including tags that were merged into another or archived."""
        from commonplace.use_cases.listing import tag_uses

        return tag_uses(self._build_caller(), self._get_ports())

    def update_memory(
        self, key: str | None = None, value: str | None = None, *, memory_id: str | None = None,
        category: Section | None = None, filed_under: Category | None = None, type: MemoryType | None = None,
        tags: Sequence[str] | None = None, importance: int | None = None, expires_at: datetime | str | None = None,
        durability: Durability | None = None,
    ) -> storage.UpdateResult:  # fmt: skip
        """Replace a memory with a new value, and close the old memory. Without `value`, only correct the memory's labels."""
        return self._run_tool(
            storage.UpdateResult, "update_memory", key=key, value=value, memory_id=memory_id, category=category,
            filed_under=filed_under, type=type, tags=None if tags is None else list_of(tags, "tags"), importance=importance,
            expires_at=expires_at, durability=durability,
        )  # fmt: skip

    def delete_memory(self, key: str | None = None, *, memory_id: str | None = None) -> storage.DeleteResult:
        """Close a memory, which can be restored for 30 days."""
        return self._run_tool(storage.DeleteResult, "delete_memory", key=key, memory_id=memory_id)

    def history(self, key: str | None = None, *, memory_id: str | None = None) -> interactions.History:
        """Return all values that a key has had, or the predecessors and successors of a memory, newest first."""
        return self._run_tool(interactions.History, "history", key=key, memory_id=memory_id)

    def get_memory_context(self, topic: str, *, max_tokens: int = 1_500) -> storage.ContextResult:
        """Return the context for a topic, as text for a prompt. `max_tokens`, from 100 to 8,000, limits its length."""
        return self._run_tool(storage.ContextResult, "get_memory_context", topic=topic, max_tokens=max_tokens)

    def summarize_memory(self, query: str, *, limit: int = 20) -> storage.SummarizeResult:
        """Summarize, in a few sentences, what the memories say about a question."""
        return self._run_tool(storage.SummarizeResult, "summarize_memory", query=query, limit=limit)

    def memory_search_personal(
        self, query: str, *, agent_id: str | None = None, limit: int = 10
    ) -> results.SearchPersonalResult:
        """Return the memories that match a question about the user, best first."""
        return self._run_tool(
            results.SearchPersonalResult, "memory_search_personal", query=query, agent_id=agent_id, limit=limit
        )

    def search_memory(
        self, query: str, *, limit: int | None = None, category: SearchCategory | None = None,
        options: SearchOptions | None = None, counts: bool = True,
    ) -> results.SearchResult:  # fmt: skip
        """Return the memories that match a query, best first. If `counts` is False, record no use and no query."""
        options_by_name = {"query": query, "limit": limit, "category": category, "options": options}
        arguments = {name: value for name, value in options_by_name.items() if value is not None}
        return self._run_as(replace(self._build_caller(), counts=counts), results.SearchResult, "search_memory", arguments)

    def trace_search(
        self, query: str, *, limit: int | None = None, category: SearchCategory | None = None,
        options: SearchOptions | None = None,
    ) -> TraceResult:  # fmt: skip
        """Explain the results of `search_memory`. List the parts of each score, and the reason for each excluded memory."""
        return self._run_tool(TraceResult, "trace_search", query=query, limit=limit, category=category, options=options)

    def memory_search(
        self, query: str, *, collection: str | None = None, nResults: int = 5,  # noqa: N803 - the tool's own word
        filter: InsightFilter | None = None,
    ) -> results.SearchInsightResult:  # fmt: skip
        """Return the memories nearest to a query with their cosine distances."""
        return self._run_tool(
            results.SearchInsightResult, "memory_search", query=query, collection=collection, nResults=nResults, filter=filter
        )

    def record_feedback(self, memory_id: str, query: str, useful: bool) -> "FeedbackResult":
        """Store for 90 days whether a memory was useful for a query. Similar queries rank the memory higher or lower.

        For each memory and query, the last rating counts. Raises `NOT_FOUND` for an unknown or closed memory.
        """
        from commonplace.use_cases.feedback import record_feedback

        arguments = {"memory_id": memory_id, "query": query, "useful": useful}
        return record_feedback(arguments, self._build_caller(), self._get_ports())

    def forget_feedback(self, memory_id: str | None = None) -> "ForgottenFeedback":
        """Remove the feedback on a memory, or all feedback of the user, and return the number of removed ratings."""
        from commonplace.use_cases.feedback import forget_feedback

        return forget_feedback({} if memory_id is None else {"memory_id": memory_id}, self._build_caller(), self._get_ports())

    def memory_stats(
        self, *, after: datetime | str | None = None, before: datetime | str | None = None
    ) -> analysis.StatsResult:
        """Count the memories stored in a period by heading, age, month and tag."""
        return self._run_tool(analysis.StatsResult, "memory_stats", after=after, before=before)

    def memory_timeline(
        self, *, after: datetime | str | None = None, before: datetime | str | None = None, topic: str | None = None,
        granularity: Granularity = "month", cursor: str | None = None,
    ) -> analysis.TimelineResult:  # fmt: skip
        """Count memories by event date, with each period's topics and replaced values. `cursor` continues a previous page."""
        return self._run_tool(
            analysis.TimelineResult, "memory_timeline", after=after, before=before, topic=topic, granularity=granularity,
            cursor=cursor,
        )  # fmt: skip

    def concept_network(
        self, focus: str | None = None, *, depth: int = 1, limit: int = 50, format: Literal["json", "dot"] = "json"
    ) -> analysis.NetworkResult:
        """Return which concepts occur together in memories, or only those within `depth` (1 to 3) links of `focus`."""
        return self._run_tool(analysis.NetworkResult, "concept_network", focus=focus, depth=depth, limit=limit, format=format)

    def usage_patterns(self, *, after: datetime | str | None = None, before: datetime | str | None = None) -> UsageResult:
        """Report when searches were made, which memories they found most often or never, and which queries found nothing."""
        return self._run_tool(UsageResult, "usage_patterns", after=after, before=before)

    def merge_memories(
        self, memory_ids: Sequence[str] | None = None, *, dry_run: bool = True, run_id: str | None = None
    ) -> maintenance.MergeResult:
        """Merge several memories into one, or suggest merges if no ids are given. `undo_run` restores the old memories."""
        return self._run_tool(
            maintenance.MergeResult, "merge_memories", dry_run=dry_run, run_id=run_id,
            memory_ids=None if memory_ids is None else list_of(memory_ids, "memory_ids"),
        )  # fmt: skip

    def optimize_tags(
        self, *, dry_run: bool = True, threshold: float = 0.8, run_id: str | None = None
    ) -> maintenance.OptimizeResult:
        """Merge tags with the same meaning. Queries for an old name still find the same memories."""
        return self._run_tool(
            maintenance.OptimizeResult, "optimize_tags", dry_run=dry_run, threshold=threshold, run_id=run_id
        )

    def validate_storage(self, *, run_id: str | None = None, cursor: str | None = None) -> ValidateResult:
        """Report inconsistencies in the next 2,000 records. `cursor` comes from the previous report."""
        return self._run_tool(ValidateResult, "validate_storage", run_id=run_id, cursor=cursor)

    def repair_index(self, scope: Scope = "missing", *, dry_run: bool = True, run_id: str | None = None) -> RepairResult:
        """Update the index from the records. The scope `all` rebuilds the index. `dry_run` only reports the changes."""
        return self._run_tool(RepairResult, "repair_index", scope=scope, dry_run=dry_run, run_id=run_id)

    def naming(self, name: str) -> dict[str, str]:
        """Return the argument that identifies a memory in a request, either `memory_id` or `key`."""
        from commonplace.use_cases.named import naming

        return naming(name, self._build_caller(), self._get_ports())

    def erase(self, memory_id: str) -> "Erased":
        """Permanently erase a memory with its predecessors and successors, and return the erased `ids`.

        Memories merged from the erased one are erased too, and their other sources are merged again (`made_again`). If
        another program reads the file for more than a few seconds, erased words stay in the write-ahead log, and `notes`
        reports this. Use `delete_memory` if you may want to undo it. Raises `NOT_FOUND`, or `CONFLICT` while a run of this
        user is in progress.
        """
        return self.erasure().erase_memory(memory_id)

    def erasure(self) -> "ErasableUser":
        """Return an object that counts the user's memories (`memories()`) and permanently erases all data (`erase()`).

        `notes()` reports erased data that is still in the file, and returns None once the file contains no such data.
        """
        from commonplace.nightly.user_erasure import ErasableUser

        return ErasableUser(self._build_context(), self._local.erasure())

    def _build_context(self) -> "RunContext":
        """Return the context for this user's runs, which contains all ports, the clock, and the caller as an admin."""
        from commonplace.runs.apply import RunContext

        return RunContext(self._build_caller(), self._get_ports(), self._local.night(), self.now)

    def reindex(self, progress: Callable[[int, int], None] | None = None) -> int:
        """Re-embed the memories whose vectors came from another model, and return how many there were.

        Until then, searches find them only by keywords. `progress` receives the number of memories done and the total.
        """
        return self._local.reindex(self._user_id, self.now, progress or (lambda _, __: None))

    def check(self, progress: Callable[[int], None] | None = None, repair: bool = False) -> "FileReport":
        """Check the whole file for all users.

        Reports records that can't be read (`flaws.unreadable`), and dates that are out of range (`flaws.held`). Also reports
        errors that SQLite finds (`faults`), and differences between index and records (`inconsistencies`, by kind). `repair`
        corrects the index for all users.
        """
        return self._local.check(progress or (lambda _: None), repair)

    def _get_ports(self) -> "Ports":
        return self._local.ports

    def _run_tool(self, kind: type[results.AnyResult], name: str, /, **arguments: Any) -> results.AnyResult:
        fields = {field: value for field, value in arguments.items() if value is not None}
        return self._run_as(self._build_caller(), kind, name, fields)

    def _run_as(
        self, caller: Caller, kind: type[results.AnyResult], name: str, arguments: Mapping[str, Any]
    ) -> results.AnyResult:
        result = dispatch.call(name, arguments, caller, self._local.ports)
        assert isinstance(result, kind)
        return result

    def _build_caller(self, waits: bool = True, admin: bool = True) -> Caller:
        return Caller(self._user_id, self.now(), self._agent_id, waits=waits, admin=admin)
