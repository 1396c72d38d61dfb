"""The laws of a list of memories: newest first, page by page, nothing twice and nothing left out."""

from datetime import timedelta

import pytest

from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Filter, Visibility
from tests.conftest import NOON
from tests.contract.conftest import Writer

ANA = Visibility("local|ana", ("global",), NOON + timedelta(days=1))
CLOSE = Audit("delete", NOON, {"why": "test"})


def pages(ports: Ports, limit: int, wanted: Filter | None = None, seen: Visibility = ANA) -> list[list[Memory]]:
    found, before = list[list[Memory]](), None
    while True:
        page, before = ports.records.listed(seen, wanted or Filter(), limit, before)
        assert len(page) <= limit
        found.append(page)
        if before is None:
            return found


def texts(pages: list[list[Memory]]) -> list[str]:
    return [memory.raw_text for page in pages for memory in page]


@pytest.mark.parametrize("limit", [1, 2, 3, 7, 8, 100])
def test_pages_hold_everything_once_newest_first(ports: Ports, writer: Writer, limit: int) -> None:
    for number in range(7):
        writer.write(f"memory {number}")
        writer.write(f"memory {number}", user_id="local|ben")
    assert texts(pages(ports, limit)) == [f"memory {number}" for number in reversed(range(7))]


def test_only_what_may_be_seen_is_listed(ports: Ports, writer: Writer) -> None:
    writer.write("open")
    writer.write("of another agent", agent_id="coach")
    writer.write("over", expires_at=NOON + timedelta(hours=1))
    closed = writer.write("closed")
    ports.records.update(closed.model_copy(update={"status": "deleted", "version": 2}), CLOSE)
    assert texts(pages(ports, 10)) == ["open"]
    assert texts(pages(ports, 1, seen=Visibility(ANA.user_id, ("coach", "global"), ANA.now, True))) == [
        "over", "of another agent", "open",
    ]  # fmt: skip
    assert pages(ports, 1, seen=Visibility("local|nobody", ("global",), NOON)) == [[]]


@pytest.mark.parametrize("limit", [1, 5, 100])
def test_a_filter_leaves_out_the_rest_however_rare_it_is(ports: Ports, writer: Writer, limit: int) -> None:
    entries = [writer.entry(f"memory {number}", importance=0.9 if number % 50 == 7 else 0.2) for number in range(160)]
    ports.records.add(entries)
    found = pages(ports, limit, Filter(importance_min=0.5))
    assert texts(found) == ["memory 157", "memory 107", "memory 57", "memory 7"]
    assert texts(pages(ports, limit, Filter(importance_min=0.5, category="projects"))) == []


def test_a_cursor_stays_good_when_its_memory_goes_and_others_come(ports: Ports, writer: Writer) -> None:
    memories = [writer.write(f"memory {number}") for number in range(4)]
    page, cursor = ports.records.listed(ANA, Filter(), 2)
    assert [memory.memory_id for memory in page] == [memories[3].memory_id, memories[2].memory_id]
    ports.records.update(memories[2].model_copy(update={"status": "deleted", "version": 2}), CLOSE)
    writer.write("memory 4")
    page, cursor = ports.records.listed(ANA, Filter(), 2, cursor)
    assert [memory.raw_text for memory in page] == ["memory 1", "memory 0"]
    assert cursor is None
