"""Who holds a key, and which keys there are."""

from collections.abc import Callable
from datetime import datetime
from typing import Any

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller
from commonplace.retrieval.record_scan import visibility_of
from tests.conftest import NOON
from tests.contract.changes import ANA, BEN, LATER, closing, operation
from tests.contract.conftest import Writer


def keys(
    ports: Ports, user_id: str = ANA, agent: str = "global", now: datetime = NOON, collection: str = "default"
) -> list[str]:
    return ports.operations.keys(visibility_of(Caller(user_id, now, agent)), collection)


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


def test_the_holder_of_a_key_is_the_active_unexpired_one(ports: Ports, writer: Writer) -> None:
    holder: Callable[..., Memory | None] = ports.operations.holder
    tea = writer.write("tea", key="drink", expires_at=LATER)
    work = writer.write("coffee", key="drink", collection="work")
    assert holder(ANA, "default", "drink", NOON) == tea
    assert holder(ANA, "work", "drink", NOON) == work
    assert holder(ANA, "default", "drink", LATER) is None
    assert holder(BEN, "default", "drink", NOON) is None
    assert holder(ANA, "default", "food", NOON) is None
    ports.operations.apply(operation(closing(work)))
    assert holder(ANA, "work", "drink", NOON) is None


def test_the_holder_of_a_key_tells_how_often_it_was_found(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    ports.usage.count(ANA, [tea.memory_id], LATER)
    ports.usage.fold(ANA)
    holder = ports.operations.holder(ANA, "default", "drink", NOON)
    assert holder is not None
    assert (holder.access_count, holder.last_accessed) == (1, LATER)


def test_keys_are_told_in_order_of_the_alphabet(ports: Ports, writer: Writer) -> None:
    for number, key in enumerate(["zebra", "ant", "élan", None, "bee"]):
        writer.write(f"animal {number}", key=key)
    writer.write("ox", key="ox", collection="work")
    writer.write("owl", key="owl", user_id=BEN)
    gone = writer.write("gnu", key="gnu")
    ports.operations.apply(operation(closing(gone)))
    assert keys(ports) == ["ant", "bee", "zebra", "élan"]
    assert keys(ports, collection="work") == ["ox"]
    assert keys(ports, "local|nobody") == []


def test_keys_are_those_of_memories_that_may_be_seen(ports: Ports, writer: Writer) -> None:
    fields: dict[str, dict[str, Any]] = {
        "global": {}, "coach": {"agent_id": "coach"}, "other": {"agent_id": "other"}, "over": {"expires_at": NOON},
        "ends": {"expires_at": LATER}, "begins": {"valid_from": LATER}, "ended": {"valid_to": NOON},
    }  # fmt: skip
    for key, own in fields.items():
        writer.write(f"a memory of {key}", key=key, **own)
    assert keys(ports) == ["ends", "global"]
    assert keys(ports, agent="coach") == ["coach", "ends", "global"]
    assert keys(ports, now=LATER) == ["begins", "global"]
    assert keys(ports, BEN) == []


def test_keys_follow_what_becomes_of_their_memories(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    ports.records.update(tea.next_version(NOON, agent_id="coach"), Audit("change", NOON, {}))
    assert (keys(ports), keys(ports, agent="coach")) == ([], ["drink"])
