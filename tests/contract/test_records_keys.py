"""A key belongs to one active, unexpired memory of a collection."""

from dataclasses import replace
from datetime import timedelta

import pytest

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit
from tests.conftest import NOON
from tests.contract.conftest import Writer

LATER = NOON + timedelta(days=2)
CHANGE = Audit("change", LATER, {})


def test_a_key_that_is_taken_is_a_conflict(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    with pytest.raises(CommonplaceError) as caught:
        writer.write("coffee", key="drink")
    assert caught.value.code is ErrorCode.CONFLICT
    assert tea.memory_id in caught.value.message
    assert list(ports.records.all("local|ana")) == [tea]


@pytest.mark.parametrize("different", [{"collection": "work"}, {"user_id": "local|ben"}, {"status": "superseded"}])
def test_another_collection_another_user_and_a_closed_memory_may_hold_it_too(
    ports: Ports, writer: Writer, different: dict[str, str]
) -> None:
    writer.write("tea", key="drink")
    ((_, created),) = ports.records.add([writer.entry("coffee", key="drink", **different)])
    assert created


def test_the_same_content_is_the_same_memory_whatever_its_key(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    for key in ("drink", "beverage", None):
        assert ports.records.add([writer.entry("tea", key=key)]) == [(tea, False)]


def test_a_closed_memory_is_stored_beside_an_active_one_that_says_the_same(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea")
    ((old, created),) = ports.records.add([writer.entry("tea", status="superseded")])
    assert created
    assert [memory.memory_id for memory in ports.records.all("local|ana")] == [tea.memory_id, old.memory_id]


def test_an_update_that_takes_another_ones_key_is_a_conflict(ports: Ports, writer: Writer) -> None:
    writer.write("tea", key="drink")
    coffee = writer.write("coffee")
    with pytest.raises(CommonplaceError) as caught:
        ports.records.update(coffee.model_copy(update={"key": "drink", "version": 2}), CHANGE)
    assert caught.value.code is ErrorCode.CONFLICT
    assert ports.records.get("local|ana", [coffee.memory_id]) == [coffee]


def test_the_key_of_a_closed_memory_is_free(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    ports.records.update(tea.model_copy(update={"status": "deleted", "version": 2}), CHANGE)
    assert writer.write("coffee", key="drink").key == "drink"


def test_an_expired_memory_gives_up_its_key_and_is_archived(ports: Ports, writer: Writer) -> None:
    voucher = writer.write("voucher", key="offer", expires_at=NOON + timedelta(hours=1))
    entry = writer.entry("another voucher", key="offer")
    ((_, created),) = ports.records.add([replace(entry, memory=entry.memory.model_copy(update={"created_at": LATER}))])
    assert created
    (closed,) = ports.records.get("local|ana", [voucher.memory_id])
    assert (closed.status, closed.version) == ("archived", 2)
    assert [audit.operation for audit in ports.records.audits("local|ana", voucher.memory_id)] == ["store", "archive"]


def test_a_key_that_is_taken_leaves_an_expired_memory_of_the_same_content_as_it_is(ports: Ports, writer: Writer) -> None:
    voucher = writer.write("voucher", expires_at=NOON + timedelta(hours=1))
    tea = writer.write("tea", key="offer")
    with pytest.raises(CommonplaceError):
        writer.write("voucher", key="offer", created_at=LATER)
    assert list(ports.records.all("local|ana")) == [voucher, tea]
