"""Many threads of one process."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from commonplace import Commonplace

pytestmark = [pytest.mark.integration, pytest.mark.timeout(120)]


def test_a_search_waits_for_no_writer_that_a_store_waits_for(open_memory: Callable[..., Commonplace]) -> None:
    ana, ben = open_memory(), open_memory("ben")
    ana.store_memory("I live in Graz.")
    here, elsewhere = (one._local.ports.records._database for one in (ana, ben))  # type: ignore[attr-defined]
    with elsewhere.writing():
        store = threading.Thread(target=ana.store_memory, args=("I like tea.",))
        store.start()
        while not here._writing.lock_counter:  # it waits for the lock of the file
            pass
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
