"""Provides the Python interface for asyncio. `AsyncCommonplace` runs the methods of `Commonplace` in threads."""

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from functools import partial, wraps
from os import PathLike
from threading import Lock
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, Self, TypeVar

from commonplace.client.documents import Documents
from commonplace.client.memory import Commonplace, refuse_if_forked
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Notes
from commonplace.domain.interactions import Erased
from commonplace.domain.memory import GLOBAL_AGENT
from commonplace.ports.values import Clock
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.nightly.user_erasure import ErasableUser

THREADS = 8
_END: Any = object()
_Params = ParamSpec("_Params")
_Answer = TypeVar("_Answer")
_Owner = TypeVar("_Owner")
_Opened = TypeVar("_Opened", covariant=True)


class _InThread(Protocol[_Opened]):
    async def _run_in_thread(self, work: Callable[[_Opened], _Answer]) -> _Answer: ...


def _make_async(
    method: Callable[Concatenate[_Owner, _Params], _Answer],
) -> Callable[Concatenate[_InThread[_Owner], _Params], Coroutine[Any, Any, _Answer]]:
    """Return a coroutine function that runs a method in one of the memory's threads."""

    @wraps(method)
    async def call(owner: _InThread[_Owner], /, *args: _Params.args, **named: _Params.kwargs) -> _Answer:
        return await owner._run_in_thread(lambda opened: method(opened, *args, **named))

    return call


def _wrap_stream(
    method: Callable[Concatenate[Commonplace, _Params], Iterator[_Answer]],
) -> Callable[Concatenate["AsyncCommonplace", _Params], AsyncIterator[_Answer]]:
    """Convert a method that yields items to an async generator function. Each item is computed in a thread."""

    @wraps(method)
    async def each(memory: "AsyncCommonplace", /, *args: _Params.args, **named: _Params.kwargs) -> AsyncIterator[_Answer]:
        context = copy_context()  # all steps share one context, so that context variables set by the method persist
        stream = await memory._run_in_thread(lambda opened: context.run(method, opened, *args, **named))
        while (item := await memory._run_in_thread(lambda _: context.run(next, stream, _END))) is not _END:
            yield item

    return each


class AsyncErasableUser:
    """A user whose data can be counted and erased."""

    def __init__(self, memory: "AsyncCommonplace") -> None:
        self._memory = memory

    async def _run_in_thread(self, work: Callable[["ErasableUser"], _Answer]) -> _Answer:
        return await self._memory._run_in_thread(lambda opened: work(opened.erasure()))

    async def memories(self) -> int:
        """Count the user's memories, including closed and unreadable records."""
        return await self._run_in_thread(lambda user: user.memories())

    async def erase(self) -> Erased:
        """Erase everything permanently. Raises `CONFLICT` while a run of this user is active."""
        return await self._run_in_thread(lambda user: user.erase())

    async def notes(self, wait: bool = True) -> Notes | None:
        """Return a note if erased data remains in a log file. If `wait` is true, first wait a few seconds for readers."""
        return await self._run_in_thread(lambda user: user.notes(wait))


class AsyncDocuments:
    """A user's documents. Each has a namespace (list of texts) and a key. Most methods raise `NOT_FOUND` for unknown keys."""

    def __init__(self, memory: "AsyncCommonplace") -> None:
        self._memory = memory

    async def _run_in_thread(self, work: Callable[[Documents], _Answer]) -> _Answer:
        return await self._memory._run_in_thread(lambda opened: work(opened.documents))

    write = _make_async(Documents.write)
    read = _make_async(Documents.read)
    listed = _make_async(Documents.listed)
    scores = _make_async(Documents.scores)
    versions = _make_async(Documents.versions)
    delete = _make_async(Documents.delete)
    undo = _make_async(Documents.undo)
    erase = _make_async(Documents.erase)


class AsyncCommonplace:
    """One user's memories in one file, for asyncio. Use it in an `async with` block, or await `close`.

    Its arguments and methods are those of `Commonplace`. Use `async for` with `export`, `export_lines` and `each_run`. Each
    call runs in one of `threads` threads and doesn't block the loop. If all threads are busy, further calls wait in order.
    Progress callbacks run in the thread of the call. A call whose await is cancelled still runs to its end.
    """

    def __init__(
        self, path: str | PathLike[str] | None = None, *, user_id: str | None = None, timezone: str | None = None,
        now: Clock | None = None, agent_id: str = GLOBAL_AGENT, settings: Settings | None = None, threads: int = THREADS,
    ) -> None:  # fmt: skip
        self._make = partial(
            Commonplace, path, user_id=user_id, timezone=timezone, now=now, agent_id=agent_id, settings=settings
        )
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="commonplace")
        self._opening = Lock()
        self._opened: Commonplace | None = None
        self._process = os.getpid()
        self._closed = False

    async def __aenter__(self) -> Self:
        await self._run_in_thread(lambda _: None)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Wait for the calls in progress and close the file. Further calls have no effect."""
        self._closed = True
        await asyncio.to_thread(self._threads.shutdown)
        if self._opened is not None:
            await asyncio.to_thread(self._opened.close)

    async def _run_in_thread(self, work: Callable[[Commonplace], _Answer]) -> _Answer:
        refuse_if_forked(self._process)
        if self._closed:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "this memory was closed; open it again")
        context = copy_context()
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._threads, lambda: context.run(lambda: work(self._open_memory())))

    def _open_memory(self) -> Commonplace:
        with self._opening:
            if self._opened is None:
                self._opened = self._make()
            return self._opened

    async def erasure(self) -> AsyncErasableUser:
        """Return an object that counts the user's memories (`memories()`) and permanently erases all data (`erase()`)."""
        return AsyncErasableUser(self)

    @property
    def documents(self) -> AsyncDocuments:
        """The user's documents, which are whole texts under a namespace and a key, with their versions."""
        return AsyncDocuments(self)

    call = _make_async(Commonplace.call)
    answer = _make_async(Commonplace.answer)
    memory_normalize = _make_async(Commonplace.memory_normalize)
    memory_store_personal = _make_async(Commonplace.memory_store_personal)
    store_memory = _make_async(Commonplace.store_memory)
    store_memories = _make_async(Commonplace.store_memories)
    discover_memory_tools = _make_async(Commonplace.discover_memory_tools)
    memory_store = _make_async(Commonplace.memory_store)
    erase = _make_async(Commonplace.erase)
    reindex = _make_async(Commonplace.reindex)
    check = _make_async(Commonplace.check)
    get = _make_async(Commonplace.get)
    write_memory = _make_async(Commonplace.write_memory)
    read_memory = _make_async(Commonplace.read_memory)
    get_memory = _make_async(Commonplace.get_memory)
    list_memories = _make_async(Commonplace.list_memories)
    tags = _make_async(Commonplace.tags)
    tag_uses = _make_async(Commonplace.tag_uses)
    uploaded = _make_async(Commonplace.uploaded)
    drop_upload = _make_async(Commonplace.drop_upload)
    now = _make_async(Commonplace.now)
    update_memory = _make_async(Commonplace.update_memory)
    delete_memory = _make_async(Commonplace.delete_memory)
    history = _make_async(Commonplace.history)
    get_memory_context = _make_async(Commonplace.get_memory_context)
    summarize_memory = _make_async(Commonplace.summarize_memory)
    memory_search_personal = _make_async(Commonplace.memory_search_personal)
    search_memory = _make_async(Commonplace.search_memory)
    trace_search = _make_async(Commonplace.trace_search)
    memory_search = _make_async(Commonplace.memory_search)
    record_feedback = _make_async(Commonplace.record_feedback)
    forget_feedback = _make_async(Commonplace.forget_feedback)
    memory_stats = _make_async(Commonplace.memory_stats)
    memory_timeline = _make_async(Commonplace.memory_timeline)
    concept_network = _make_async(Commonplace.concept_network)
    usage_patterns = _make_async(Commonplace.usage_patterns)
    merge_memories = _make_async(Commonplace.merge_memories)
    optimize_tags = _make_async(Commonplace.optimize_tags)
    record_interactions = _make_async(Commonplace.record_interactions)
    nightly = _make_async(Commonplace.nightly)
    each_run = _wrap_stream(Commonplace.each_run)
    due = _make_async(Commonplace.due)
    runs = _make_async(Commonplace.runs)
    run = _make_async(Commonplace.run)
    run_report = _make_async(Commonplace.run_report)
    undo_run = _make_async(Commonplace.undo_run)
    approve_run = _make_async(Commonplace.approve_run)
    discard_run = _make_async(Commonplace.discard_run)
    undo = _make_async(Commonplace.undo)
    write_markdown = _make_async(Commonplace.write_markdown)
    visible_pages = _make_async(Commonplace.visible_pages)
    apply_markdown = _make_async(Commonplace.apply_markdown)
    export = _wrap_stream(Commonplace.export)
    export_lines = _wrap_stream(Commonplace.export_lines)
    export_memories = _make_async(Commonplace.export_memories)
    export_file = _make_async(Commonplace.export_file)
    import_memories = _make_async(Commonplace.import_memories)
    backup = _make_async(Commonplace.backup)
    backups = _make_async(Commonplace.backups)
    verify = _make_async(Commonplace.verify)
    restore = _make_async(Commonplace.restore)
    upload = _make_async(Commonplace.upload)
    migrate_tinydb = _make_async(Commonplace.migrate_tinydb)
    check_migration = _make_async(Commonplace.check_migration)
    import_from = _make_async(Commonplace.import_from)
    import_turns = _make_async(Commonplace.import_turns)
    import_messages = _make_async(Commonplace.import_messages)
    import_records = _make_async(Commonplace.import_records)
    validate_storage = _make_async(Commonplace.validate_storage)
    repair_index = _make_async(Commonplace.repair_index)
