import threading
from collections.abc import Callable
from typing import Any, cast

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.http.open_memories import OpenMemories
from commonplace.interfaces.logs import WithoutTexts


class Told:
    """A memory that says when it was opened and closed."""

    def __init__(self, user: str, said: list[str]) -> None:
        self._user, self._said = user, said
        said.append(f"open {user}")

    def close(self) -> None:
        self._said.append(f"close {self._user}")


def opening(said: list[str]) -> Callable[[str], Any]:
    return lambda user: Told(user, said)


def test_each_is_opened_once_and_the_longest_unused_is_closed() -> None:
    said: list[str] = []
    with OpenMemories(opening(said), most=2) as memories:
        for user in ("ana", "ben", "ana", "cem"):
            with memories.taken(user) as opened:
                opened.open()
        assert said == ["open ana", "open ben", "open cem", "close ben"]
    assert said[4:] == ["close ana", "close cem"]


def test_what_is_used_stays_open() -> None:
    said: list[str] = []
    with OpenMemories(opening(said), most=1) as memories:
        with memories.taken("ana") as ana:
            ana.open()
            for user in ("ben", "cem"):
                with memories.taken(user) as other:
                    other.open()
            assert "close ana" not in said
            assert said.count("open ben") == said.count("close ben") == 1
        with memories.taken("ana") as again:
            again.open()
    assert said.count("open ana") == said.count("close ana") == 1


class Failing(Told):
    """One that can't be closed."""

    def close(self) -> None:
        super().close()
        raise OSError(28, "the words of Ana")


def failing(said: list[str]) -> Callable[[str], Any]:
    return lambda user: (Failing if user == "ana" else Told)(user, said)


def test_what_cannot_be_closed_is_told_and_fails_nobodys_request(caplog: pytest.LogCaptureFixture) -> None:
    said: list[str] = []
    memories = OpenMemories(failing(said), most=1)
    for user in ("ana", "ben"):
        with memories.taken(user) as opened:
            opened.open()
    assert said == ["open ana", "open ben", "close ana"]
    (line,) = (WithoutTexts().format(record) for record in caplog.records)
    assert "can't be closed" in line
    assert "OSError" in line
    assert "Ana" not in line


def test_what_cannot_be_closed_at_the_end_leaves_no_other_open() -> None:
    said: list[str] = []
    memories = OpenMemories(failing(said))
    for user in ("ana", "ben"):
        with memories.taken(user) as opened:
            opened.open()
    with pytest.raises(OSError, match="of Ana"):
        memories.close()
    assert said[2:] == ["close ana", "close ben"]


def test_who_never_needed_it_opened_nothing() -> None:
    said: list[str] = []
    with OpenMemories(opening(said)) as memories, memories.taken("ana"):
        pass
    assert said == []


def test_what_could_not_be_opened_is_tried_again() -> None:
    tried: list[str] = []

    def make(user: str) -> Any:
        tried.append(user)
        if len(tried) == 1:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "busy")
        return Told(user, [])

    memories = OpenMemories(make)
    with memories.taken("ana") as opened, pytest.raises(CommonplaceError):
        opened.open()
    with memories.taken("ana") as opened:
        opened.open()
    assert tried == ["ana", "ana"]


def test_many_at_once_share_one() -> None:
    said: list[str] = []
    memories = OpenMemories(opening(said), most=1)

    def use() -> None:
        for user in ("ana", "ben") * 20:
            with memories.taken(user) as opened:
                opened.open()

    each = [threading.Thread(target=use) for _ in range(8)]
    for one in each:
        one.start()
    for one in each:
        one.join()
    memories.close()
    held: dict[str, int] = {}
    for line in said:
        verb, user = line.split()
        held[user] = held.get(user, 0) + (1 if verb == "open" else -1)
    assert held == {"ana": 0, "ben": 0}


class Asking(Told):
    """A memory whose calls take until they are let go on."""

    def __init__(self, user: str, said: list[str], began: threading.Event, goes_on: threading.Event) -> None:
        super().__init__(user, said)
        self._began, self._goes_on = began, goes_on

    def call(self, *_: object, **__: object) -> dict[str, Any]:
        self._began.set()
        assert self._goes_on.wait(10)
        self._said.append("answer")
        return {}


def test_a_call_that_nobody_waits_for_keeps_its_memory_open() -> None:
    said: list[str] = []
    began, goes_on = threading.Event(), threading.Event()
    memories = OpenMemories(cast(Any, lambda user: Asking(user, said, began, goes_on)), most=0)
    calling = threading.Thread(target=memories.of("ana").call, args=("browse", {}))
    calling.start()
    assert began.wait(10)
    memories.close()
    assert said == ["open ana"]
    goes_on.set()
    calling.join()
    assert said == ["open ana", "answer", "close ana"]
