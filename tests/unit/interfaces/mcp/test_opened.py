import threading
from typing import Any

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.mcp.opened import OpenedLater


class Told:
    def __init__(self) -> None:
        self.closed = 0

    def close(self) -> None:
        self.closed += 1


def test_what_is_just_being_opened_is_closed_too() -> None:
    began, goes_on, memory = threading.Event(), threading.Event(), Told()

    def make() -> Any:
        began.set()
        assert goes_on.wait(10)
        return memory

    later = OpenedLater(make)
    opening = threading.Thread(target=later.open)
    opening.start()
    assert began.wait(10)
    closing = threading.Thread(target=later.close)
    closing.start()
    closing.join(0.2)  # it waits for what opens
    goes_on.set()
    opening.join()
    closing.join()
    assert memory.closed == 1


def test_what_is_closed_is_opened_no_more() -> None:
    made: list[Told] = []

    def make() -> Any:
        made.append(Told())
        return made[-1]

    for opened in (False, True):
        later = OpenedLater(make)
        if opened:
            later.open()
        later.close()
        with pytest.raises(CommonplaceError) as refused:
            later.open()
        assert refused.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert [one.closed for one in made] == [1]
