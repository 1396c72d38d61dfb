"""Files that are cut, flipped, emptied or lack a table: each operation answers, or says which file and what to do."""

import logging
import random
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import pytest

from commonplace import Commonplace, CommonplaceError
from commonplace.domain.errors import ErrorCode
from commonplace.settings import Settings
from tests.conftest import NOON

FILES = 50
WORDS = ("zanzibar", "quokka", "marzipan")  # of the texts; none of them may be told
PAGE = 4096


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A memory file with something of every kind in it."""
    file = tmp_path_factory.mktemp("whole") / "memory.db"
    with opened(file) as memory:
        for number in range(40):
            word = WORDS[number % len(WORDS)]
            place: Any = {"session_id": "talk", "position": number}
            memory.store_memory(f"I saw {word} number {number} in town.", context={"place": place})
        memory.write_memory("drink", "I drink marzipan milk.", "preference", "durable")
        memory.update_memory("drink", "I drink quokka milk.")
        memory.write_memory("cold", "I have a cold in zanzibar.", "personal_context", "daily")
        wishes = ["Remember that I am allergic to marzipan.", "Remember that my quokka is called Zanzibar."]
        memory.record_interactions([{"type": "explicit", "text": wish} for wish in wishes])
        memory.nightly()
        memory.record_interactions([{"type": "explicit", "text": "Remember that I own a quokka in zanzibar."}])
    return file.read_bytes()


def opened(file: Path) -> Commonplace:
    return Commonplace(file, user_id="ana", now=lambda: NOON, settings=Settings(db=file))


def cut(data: bytearray, chance: random.Random) -> None:
    del data[chance.randrange(len(data)) :]


def flipped(data: bytearray, chance: random.Random) -> None:
    for _ in range(chance.choice((1, 8, 60, 400))):
        data[chance.randrange(len(data))] ^= 1 << chance.randrange(8)


def page_emptied(data: bytearray, chance: random.Random) -> None:
    at = chance.randrange(len(data) // PAGE) * PAGE
    data[at : at + PAGE] = bytes(PAGE)


def pages_swapped(data: bytearray, chance: random.Random) -> None:
    one, other = (chance.randrange(1, len(data) // PAGE) * PAGE for _ in range(2))
    data[one : one + PAGE], data[other : other + PAGE] = data[other : other + PAGE], data[one : one + PAGE]


def text_flipped(data: bytearray, chance: random.Random) -> None:
    """Bytes in the records and in what lies beside them, as one that is no UTF-8 or no JSON."""
    starts = [at for at in range(len(data) - 4) if data[at : at + 2] == b'{"'] or [0]
    for _ in range(chance.choice((1, 5, 40))):
        data[min(len(data) - 1, chance.choice(starts) + chance.randrange(200))] = chance.choice((0x00, 0x7B, 0x22, 0xFF))


def another_page_size(data: bytearray, chance: random.Random) -> None:
    data[16:18] = chance.choice((512, 1024, 8192, 3)).to_bytes(2, "big")


WAYS = (cut, flipped, page_emptied, pages_swapped, text_flipped, another_page_size)
TABLES = (
    "users", "memories", "changes", "audits", "tags", "usage", "words", "operations", "interactions", "runs", "run_parts",
    "leases", "word_places",
)  # fmt: skip


def without_table(file: Path, chance: random.Random) -> None:
    with closing(sqlite3.connect(file, isolation_level=None)) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        connection.execute(f"DROP TABLE {chance.choice(TABLES)}")


def damaged(whole: bytes, seed: int, folder: Path) -> Path:
    chance, file = random.Random(seed), folder / "memory.db"
    way = seed % (len(WAYS) + 1)
    data = bytearray(whole)
    if way < len(WAYS):
        WAYS[way](data, chance)
    file.write_bytes(data)
    if way == len(WAYS):
        without_table(file, chance)
    return file


def operations(folder: Path) -> dict[str, Callable[[Commonplace], object]]:
    some: Any = {"memory_id": "mem_01JVPK6Y000000000000000000"}
    return {
        "search": lambda memory: memory.search_memory("quokka in town"),
        "list": lambda memory: memory.list_memories(),
        "get": lambda memory: memory.get_memory(key="drink"),
        "context": lambda memory: memory.get_memory_context("the town"),
        "discover": lambda memory: memory.discover_memory_tools(),
        "history": lambda memory: memory.history("drink"),
        "export": lambda memory: list(memory.export()),
        "runs": lambda memory: [memory.run_report(run.run_id) for run in memory.runs()],
        "markdown": lambda memory: memory.write_markdown(folder / "pages"),
        "check": lambda memory: memory.check(),
        "store": lambda memory: memory.store_memory("I saw another bird in town."),
        "same": lambda memory: memory.store_memory("I saw zanzibar number 0 in town."),
        "write": lambda memory: memory.write_memory("bird", "I like birds.", "preference", "durable"),
        "update": lambda memory: memory.update_memory("drink", "I drink water."),
        "import": lambda memory: memory.import_turns([{"session_id": "s", "position": 1, "speaker": "user", "text": "hello tea"}]),
        "records": lambda memory: memory.import_records([{**next(memory.export()), **some}], apply=True),
        "record": lambda memory: memory.record_interactions([{"type": "explicit", "text": "Remember that I like tea."}]),
        "nightly": lambda memory: memory.nightly(),
        "undo": lambda memory: memory.undo("last"),
        "undo run": lambda memory: memory.undo_run("last"),
        "delete": lambda memory: memory.delete_memory("cold"),
        "reindex": lambda memory: memory.reindex(),
        "erase one": lambda memory: memory.erase(next(memory.export())["memory_id"]),
        "erase": lambda memory: memory.erasure().erase(),
    }  # fmt: skip


@pytest.mark.parametrize(
    "seed", [pytest.param(seed, marks=[pytest.mark.sample] if seed % 10 == 0 else []) for seed in range(FILES)]
)
def test_no_foreign_error_and_no_words(whole: bytes, seed: int, tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = damaged(whole, seed, tmp_path)
    caplog.set_level(logging.DEBUG, "commonplace")
    told = list(answers(file, operations(tmp_path)))
    assert told
    for name, error in told:
        assert isinstance(error, CommonplaceError | StopIteration | None), (name, error)
        if isinstance(error, CommonplaceError) and error.code is ErrorCode.STORAGE_UNAVAILABLE:
            assert str(file) in error.message, (name, error.message)
            assert "restore a copy" in error.message or "can't be used" in error.message, (name, error.message)
        words = f"{error!r} {error} {error and error.__cause__!r} {error and error.__cause__}".lower()
        assert not any(word in words for word in WORDS), (name, words)
    logged = "\n".join(f"{one.getMessage()} {one.exc_text}" for one in caplog.records).lower()
    assert not any(word in logged for word in WORDS)


def answers(file: Path, work: dict[str, Callable[[Commonplace], object]]) -> Iterator[tuple[str, Exception | None]]:
    """How each operation ended, one after the other on the same file; opened anew where it can't go on."""
    try:
        memory = opened(file)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is told
        yield "open", error
        return
    for name, operation in work.items():
        try:
            operation(memory)
        except Exception as error:  # noqa: BLE001
            yield name, error
        else:
            yield name, None
    with suppress(CommonplaceError):
        memory.close()


def test_the_whole_file_is_worked_on_without_an_error(whole: bytes, tmp_path: Path) -> None:
    file = tmp_path / "memory.db"
    file.write_bytes(whole)
    ended = dict(answers(file, operations(tmp_path)))
    assert len(ended) == len(operations(tmp_path))
    assert {name: error for name, error in ended.items() if error is not None} == {}
