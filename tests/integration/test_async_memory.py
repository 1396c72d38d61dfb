"""`AsyncCommonplace`: the methods of `Commonplace`, and a loop that goes on while they work."""

import asyncio
import inspect
import subprocess
import sys
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Coroutine
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from commonplace import AsyncCommonplace, Commonplace, CommonplaceError, ErrorCode
from commonplace.client.documents import Documents
from commonplace.nightly.user_erasure import ErasableUser
from commonplace.settings import Settings

pytestmark = pytest.mark.integration
NOT_PUBLIC = {"nights", "naming", "documents"}
STREAMS = {"export", "export_lines", "each_run"}
MIA = "My daughter Mia is allergic to peanuts."


def methods(kind: type) -> dict[str, Any]:
    return {name: getattr(kind, name) for name in dir(kind) if not name.startswith("_") and name not in NOT_PUBLIC}


def talking(memory_file: Path, talk: Callable[[AsyncCommonplace], Awaitable[Any]], **more: Any) -> Any:
    """What a talk with a memory gives."""

    async def whole() -> Any:
        async with AsyncCommonplace(memory_file, user_id="ana", settings=Settings(db=memory_file), **more) as memory:
            return await talk(memory)

    return asyncio.run(whole())


async def largest_pause(work: Coroutine[Any, Any, Any]) -> float:
    """The longest that the loop stood still while something ran, in seconds."""
    pauses = []

    async def tick() -> None:
        while True:
            before = time.monotonic()
            await asyncio.sleep(0)
            await asyncio.sleep(0.001)
            pauses.append(time.monotonic() - before)

    ticking = asyncio.create_task(tick())
    await work
    ticking.cancel()
    return max(pauses)


def test_it_has_the_same_methods_with_the_same_signatures() -> None:
    assert set(methods(AsyncCommonplace)) == set(methods(Commonplace))
    memory = AsyncCommonplace("never-opened.db")
    for name, method in methods(Commonplace).items():
        own = getattr(memory, name)
        plain = inspect.signature(method)
        given = [parameter for parameter in plain.parameters.values() if parameter.name != "self"]
        assert list(inspect.signature(own).parameters.values()) == given, name
        assert own.__doc__, name
        awaited = name in ("close", "erasure") or own.__wrapped__ is method
        assert awaited, name
        assert inspect.isasyncgenfunction(own) == (name in STREAMS), name
    documents = [name for name in vars(Documents) if not name.startswith("_")]
    erasure = asyncio.run(memory.erasure())
    for part, kind, names in (
        (memory.documents, Documents, documents),
        (erasure, ErasableUser, ["memories", "erase", "notes"]),
    ):
        for name in names:
            own, plain = (inspect.signature(getattr(of, name)) for of in (part, kind))
            assert list(own.parameters.values()) == list(plain.parameters.values())[1:], name
    assert not Path("never-opened.db").exists()


def test_it_is_opened_like_the_other() -> None:
    own, plain = (dict(inspect.signature(kind).parameters) for kind in (AsyncCommonplace, Commonplace))
    assert own.pop("threads").kind is inspect.Parameter.KEYWORD_ONLY
    assert own == plain


def test_what_it_answers_is_what_the_other_answers(memory_file: Path) -> None:
    async def talk(memory: AsyncCommonplace) -> None:
        stored = await memory.store_memory(MIA)
        assert [hit.content for hit in (await memory.search_memory("is anybody allergic?", limit=3)).results] == [MIA]
        assert (await memory.get(stored.memory_id)).value == MIA
        assert [record["memory_id"] async for record in memory.export()] == [stored.memory_id]
        assert len([line async for line in memory.export_lines("csv")]) == 2
        await memory.record_interactions([{"type": "explicit", "text": "Remember that I play the cello."}])
        assert [run.status async for run in memory.each_run("rules")] == ["done"]
        with pytest.raises(CommonplaceError) as unknown:
            await memory.get_memory("mem_01ARZ3NDEKTSV4RRFFQ69G5FAV")
        assert unknown.value.code is ErrorCode.NOT_FOUND
        written = await memory.documents.write(("notes",), "tea", "Ana drinks green tea.")
        assert (await memory.documents.read(("notes",), "tea")).body == written.body == "Ana drinks green tea."
        erasure = await memory.erasure()
        assert await erasure.memories() >= 1
        await erasure.erase()
        assert await erasure.notes() is None
        assert await erasure.memories() == 0

    talking(memory_file, talk)


@pytest.mark.usefixtures("word_vectors")
def test_a_hundred_calls_at_once_lose_nothing_and_leave_the_loop_alone(memory_file: Path) -> None:
    def text(number: int) -> str:
        return f"I have read volume {number} of the encyclopedia of gardens."

    async def talk(memory: AsyncCommonplace) -> tuple[list[str], float]:
        await memory.search_memory("what have I read?")  # the models are loaded
        ids: list[str] = []

        async def one(number: int) -> None:
            ids.append((await memory.store_memory(text(number))).memory_id)
            await memory.search_memory(f"volume {number}")

        async def all_of_them() -> None:
            await asyncio.gather(*(one(number) for number in range(100)))

        return ids, await largest_pause(all_of_them())

    began = time.monotonic()
    ids, pause = talking(memory_file, talk)
    took = time.monotonic() - began
    with Commonplace(memory_file, user_id="ana") as memory:
        kept = {record["memory_id"]: record["raw_text"] for record in memory.export()}
    assert len(set(ids)) == 100
    assert set(ids) == set(kept)
    assert set(kept.values()) == {text(number) for number in range(100)}
    assert pause < took / 5, (pause, took)  # who blocks the loop lets nothing else run until the last call ends


def test_closing_waits_for_the_calls_in_progress(memory_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    working, closing = threading.Event(), threading.Event()

    def clock() -> datetime:
        working.set()
        assert closing.wait(30)
        return datetime.now(UTC)

    async def talk() -> str:
        memory = AsyncCommonplace(memory_file, user_id="ana", settings=Settings(db=memory_file), now=clock)
        shutdown = memory._threads.shutdown

        def wait_for_calls(wait: bool = True) -> None:
            closing.set()  # only now may the call that is in progress go on
            shutdown(wait)

        monkeypatch.setattr(memory._threads, "shutdown", wait_for_calls)
        storing = asyncio.create_task(memory.store_memory(MIA))
        assert await asyncio.to_thread(working.wait, 30)
        await memory.close()
        return (await storing).memory_id

    memory_id = asyncio.run(talk())
    with Commonplace(memory_file, user_id="ana") as memory:
        assert memory.get(memory_id).value == MIA


def test_a_hundred_calls_take_no_more_threads_than_it_has(memory_file: Path) -> None:
    async def talk(memory: AsyncCommonplace) -> int:
        await asyncio.gather(*(memory.list_memories() for _ in range(100)))
        return sum(thread.name.startswith("commonplace") for thread in threading.enumerate())

    assert 1 <= talking(memory_file, talk, threads=3) <= 3


def test_what_was_asked_for_ends_before_it_closes(memory_file: Path) -> None:
    async def whole() -> list[Any]:
        memory = AsyncCommonplace(memory_file, user_id="ana")
        storing = [asyncio.create_task(memory.store_memory(f"I own book {number}.")) for number in range(20)]
        await asyncio.sleep(0)
        await memory.close()
        await memory.close()
        with pytest.raises(CommonplaceError, match="was closed"):
            await memory.list_memories()
        return await asyncio.gather(*storing)

    assert len({stored.memory_id for stored in asyncio.run(whole())}) == 20


def test_a_cancelled_call_leaves_the_memory_whole(memory_file: Path) -> None:
    async def talk(memory: AsyncCommonplace) -> list[str]:
        storing = asyncio.create_task(memory.store_memory(MIA))
        await asyncio.sleep(0)
        storing.cancel()
        with pytest.raises(asyncio.CancelledError):
            await storing
        await memory.store_memory("I play the cello.")
        return [record["raw_text"] async for record in memory.export()]

    assert "I play the cello." in talking(memory_file, talk)


def test_a_stream_may_be_left_before_its_end(memory_file: Path) -> None:
    async def first(records: AsyncIterator[dict[str, Any]]) -> Any:
        async for record in records:
            return record["raw_text"]
        return None

    async def talk(memory: AsyncCommonplace) -> Any:
        for text in (MIA, "I play the cello."):
            await memory.store_memory(text)
        found = await first(memory.export())
        await memory.store_memory("I own a zeppelin.")
        return found

    assert talking(memory_file, talk) == MIA


def test_what_can_not_be_opened_is_told_where_it_is_asked(tmp_path: Path) -> None:
    async def whole() -> None:
        memory = AsyncCommonplace(tmp_path)
        with pytest.raises(CommonplaceError):
            await memory.list_memories()
        await memory.close()

    asyncio.run(whole())


def test_its_import_loads_no_models() -> None:
    code = "import sys; from commonplace import AsyncCommonplace; assert 'numpy' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
