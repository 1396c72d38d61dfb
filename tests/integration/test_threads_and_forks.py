"""Many threads of one process, and processes that were forked from it."""

import json
import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]

needs_fork = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
_FORKING = """
import asyncio, gc, json, os, sys, threading, warnings
from commonplace import AsyncCommonplace, Commonplace, CommonplaceError
warnings.simplefilter("ignore", DeprecationWarning)  # Python 3.12 warns of each fork beside threads

path = sys.argv[1]

def in_child(work):
    "What `work` returns in a forked process, which then lets go of all that it has, as far as onnxruntime survives that."
    reads, writes = os.pipe()
    if not (child := os.fork()):
        try:
            with open(writes, "w") as answer:
                json.dump(work(), answer)
            globals().pop("memory", None)
            gc.collect()
        finally:
            os._exit(0)
    os.close(writes)
    with open(reads) as answer:
        told = json.loads(answer.read() or "null")
    assert os.waitpid(child, 0)[1] == 0
    return told

def refused(call):
    try:
        call()
    except CommonplaceError as error:
        return [error.code.label, error.message]

def contents(memory):
    return sorted(each["raw_text"] for each in memory.export())
"""
_BUSY = """
memory = Commonplace(path, user_id="ana")
memory.store_memory("I live in Graz.")
over = threading.Event()

def search():
    while not over.is_set():
        memory.search_memory("Where do I live?")

def store():
    while not over.is_set():
        memory.store_memory("I like tea.", wait=False)

threads = [threading.Thread(target=one) for one in (search, search, store)]
for one in threads:
    one.start()

def try_all():
    found = [refused(lambda: memory.store_memory("I like boats.")), refused(lambda: memory.search_memory("boats")),
             refused(memory.usage_patterns), refused(lambda: list(memory.export()))]
    memory.close()
    return found

told = [in_child(try_all) for _ in range(6)]
over.set()
for one in threads:
    one.join()
told.append(contents(memory))
memory.close()
print(json.dumps(told))
"""
_OPENED_AGAIN = """
memory = Commonplace(path, user_id="ana")
memory.store_memory("I live in Graz.")
go_on, closed = os.pipe()

def store_again():
    again = Commonplace(path, user_id="ana")
    again.store_memory("I like boats.")
    os.read(go_on, 1)  # the parent has closed the file
    again.store_memory("I like tea.")
    os._exit(0)  # and what was answered is in the file however the process ends

if not (child := os.fork()):
    store_again()
while len(contents(memory)) < 2:
    pass
memory.store_memory("I have a dog.")
memory.close()
os.write(closed, b"x")
os.waitpid(child, 0)
with Commonplace(path, user_id="ana") as memory:
    print(json.dumps([contents(memory), memory.check().faults, dict(memory.check().inconsistencies)]))
"""
_ASYNC = """
memory = AsyncCommonplace(path, user_id="ana")

async def store():
    return (await memory.store_memory("I live in Graz.")).memory_id

def store_and_close():
    found = refused(lambda: asyncio.run(store()))
    asyncio.run(memory.close())
    return found

asyncio.run(store())
told = in_child(store_and_close)
asyncio.run(memory.close())
print(json.dumps(told))
"""
_WHILE_LOADING = """
from commonplace.domain.loading import loaded_once
memory = Commonplace(path, user_id="ana")
loading, forked = threading.Event(), threading.Event()

@loaded_once
def slow():
    loading.set()
    forked.wait()

@loaded_once
def other():
    return "loaded"

thread = threading.Thread(target=slow)
thread.start()
loading.wait()
told = in_child(other)
forked.set()
thread.join()
memory.close()
print(json.dumps(told))
"""

_FIRST_CALLS = """
import functools, json, sys, threading
from collections import Counter
from commonplace.domain import loading

loads, once = Counter(), loading.loaded_once

def counted(load):
    @functools.wraps(load)
    def counting(*given):
        name = f"{load.__module__.removeprefix('commonplace.')}.{load.__name__}"
        name = name.replace("<lambda>", f"line {load.__code__.co_firstlineno}")
        loads[" ".join([name, *(each for each in given if isinstance(each, str))])] += 1
        return load(*given)
    return once(counting)

loading.loaded_once = counted
from commonplace import Commonplace
begin = threading.Barrier(8)

def first(number):
    begin.wait()
    memory.store_memory(f"My neighbour doomscrolls behind house {number}, and no longer likes tea.", wait=False)
    memory.search_memory("Who doomscrolls since last Friday?")

with Commonplace(sys.argv[1], user_id="ana") as memory:
    threads = [threading.Thread(target=first, args=(number,)) for number in range(8)]
    for one in threads:
        one.start()
    for one in threads:
        one.join()
print(json.dumps(loads))
"""


def run(*code: str, path: Path) -> Any:
    done = subprocess.run([sys.executable, "-c", "".join(code), str(path)], capture_output=True, text=True, timeout=100)
    assert (done.returncode, done.stderr) == (0, "")
    return json.loads(done.stdout)


def test_a_search_waits_for_no_writer_that_a_store_waits_for(open_memory: Callable[..., Commonplace]) -> None:
    ana, ben = open_memory(), open_memory("ben")
    ana.store_memory("I live in Graz.")
    here, elsewhere = (one._local.ports.records._database for one in (ana, ben))  # type: ignore[attr-defined]
    with elsewhere.writing():
        store = threading.Thread(target=ana.store_memory, args=("I like tea.",))
        store.start()
        while here._turn.acquire(blocking=False):  # until it waits for the lock of the file
            here._turn.release()
        assert ana.search_memory("Where do I live?").results
        assert store.is_alive()
    store.join()
    assert ana.search_memory("tea").results


def test_threads_that_write_take_turns(memory: Commonplace) -> None:
    database = memory._local.ports.records._database  # type: ignore[attr-defined]
    at_work: list[int] = []

    def write(number: int) -> None:
        with database.writing() as connection:
            at_work.append(number)
            connection.execute("UPDATE changes SET last = last + 1")
            assert at_work == [number]
            at_work.remove(number)

    with database.reading() as connection:
        (before,) = connection.execute("SELECT last FROM changes").fetchone()
    with ThreadPoolExecutor(8) as threads:
        list(threads.map(write, range(64)))
    with database.reading() as connection:
        assert connection.execute("SELECT last FROM changes").fetchone() == (before + 64,)


@needs_fork
def test_a_forked_process_is_told_to_open_the_memory_again(memory_file: Path) -> None:
    *children, kept = run(_FORKING, _BUSY, path=memory_file)
    refusal = [
        "storage_unavailable",
        "this memory was opened before the process was forked; open it again in the new process",
    ]
    assert children == [[refusal] * 4] * 6
    assert kept == ["I like tea.", "I live in Graz."]


@needs_fork
def test_a_forked_process_that_opens_the_memory_again_loses_nothing(memory_file: Path) -> None:
    kept, faults, inconsistencies = run(_FORKING, _OPENED_AGAIN, path=memory_file)
    assert kept == ["I have a dog.", "I like boats.", "I like tea.", "I live in Graz."]
    assert (faults, inconsistencies) == ([], {})


@needs_fork
def test_an_async_memory_is_refused_in_a_forked_process(memory_file: Path) -> None:
    assert run(_FORKING, _ASYNC, path=memory_file)[0] == "storage_unavailable"


@needs_fork
def test_a_forked_process_waits_for_no_thread_that_was_loading(memory_file: Path) -> None:
    assert run(_FORKING, _WHILE_LOADING, path=memory_file) == "loaded"


def test_first_calls_at_once_load_each_table_and_model_once(memory_file: Path) -> None:
    loads = run(_FIRST_CALLS, path=memory_file)
    assert {name: times for name, times in loads.items() if times > 1} == {}
    assert loads.keys() >= {
        "bootstrap.models.build_embedder",
        "adapters.sentence_encoder.e5", "adapters.sentence_encoder.use", "adapters.sentence_encoder.use_words",
        "text.classifier.model.lexicon", "text.classifier.model.shipped classifier_encoded.npz",
        "text.classifier.model._convert_to_float32", "text.foundation.english._load_dictionary",
        "text.redaction.vocabulary._compile_noun_pattern",
    }  # fmt: skip
