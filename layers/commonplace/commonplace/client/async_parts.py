"""The documents and the erasure of a user for asyncio, with the methods of their counterparts in `Commonplace`."""

from collections.abc import Callable
from typing import TypeVar

from commonplace.client.async_memory import AsyncCommonplace, awaited
from commonplace.client.documents import Documents
from commonplace.nightly.user_erasure import ErasableUser

_Answer = TypeVar("_Answer")


class AsyncErasableUser:
    """A user whose data can be counted and erased."""

    def __init__(self, memory: AsyncCommonplace) -> None:
        self._memory = memory

    async def _in_thread(self, work: Callable[[ErasableUser], _Answer]) -> _Answer:
        return await self._memory._in_thread(lambda opened: work(opened.erasure()))

    memories = awaited(ErasableUser.memories)
    erase = awaited(ErasableUser.erase)
    notes = awaited(ErasableUser.notes)


class AsyncDocuments:
    """A user's documents. Each has a namespace (several texts) and a key. Methods raise `NOT_FOUND` for unknown documents."""

    def __init__(self, memory: AsyncCommonplace) -> None:
        self._memory = memory

    async def _in_thread(self, work: Callable[[Documents], _Answer]) -> _Answer:
        return await self._memory._in_thread(lambda opened: work(opened.documents))

    write = awaited(Documents.write)
    read = awaited(Documents.read)
    listed = awaited(Documents.listed)
    scores = awaited(Documents.scores)
    versions = awaited(Documents.versions)
    delete = awaited(Documents.delete)
    undo = awaited(Documents.undo)
    erase = awaited(Documents.erase)
