"""The documents and the erasure of a user for asyncio, with the methods of their counterparts in `Commonplace`."""

from collections.abc import Callable, Coroutine
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from commonplace.client.documents import Documents
from commonplace.client.memory import Commonplace
from commonplace.nightly.user_erasure import ErasableUser

_Part = TypeVar("_Part")
_Params = ParamSpec("_Params")
_Answer = TypeVar("_Answer")


class _InThread(Protocol):
    async def __call__(self, work: Callable[[Commonplace], _Answer]) -> _Answer: ...


class _OfMemory:
    def __init__(self, in_thread: _InThread) -> None:
        self._in_thread = in_thread


def _awaited(
    part: Callable[[Commonplace], _Part], method: Callable[Concatenate[_Part, _Params], _Answer]
) -> Callable[Concatenate[_OfMemory, _Params], Coroutine[Any, Any, _Answer]]:

    @wraps(method)
    async def call(of: _OfMemory, /, *args: _Params.args, **named: _Params.kwargs) -> _Answer:
        return await of._in_thread(lambda memory: method(part(memory), *args, **named))

    return call


def _erasure(memory: Commonplace) -> ErasableUser:
    return memory.erasure()


def _documents(memory: Commonplace) -> Documents:
    return memory.documents


class AsyncErasableUser(_OfMemory):
    """A user whose data can be counted and erased."""

    memories = _awaited(_erasure, ErasableUser.memories)
    erase = _awaited(_erasure, ErasableUser.erase)
    notes = _awaited(_erasure, ErasableUser.notes)


class AsyncDocuments(_OfMemory):
    """A user's documents. Each has a namespace (several texts) and a key. Methods raise `NOT_FOUND` for unknown documents."""

    write = _awaited(_documents, Documents.write)
    read = _awaited(_documents, Documents.read)
    listed = _awaited(_documents, Documents.listed)
    scores = _awaited(_documents, Documents.scores)
    versions = _awaited(_documents, Documents.versions)
    delete = _awaited(_documents, Documents.delete)
    undo = _awaited(_documents, Documents.undo)
    erase = _awaited(_documents, Documents.erase)
