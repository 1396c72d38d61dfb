"""Any sequence of writes, on every record store, against a model of a few lines."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Entry
from tests.conftest import NOON
from tests.contract.conftest import Writer
from tests.examples import examples

TEXTS = st.sampled_from(["tea", "coffee", "milk"])
DOINGS = st.one_of(
    st.tuples(st.just("add"), st.lists(st.tuples(TEXTS, st.booleans()), min_size=1, max_size=4)),
    st.tuples(st.just("delete"), st.integers(0, 3)),
    st.tuples(st.just("reword"), st.integers(0, 3), TEXTS),
    st.tuples(st.just("stale"), st.integers(0, 3)),
    st.tuples(st.just("wait")),
)
USERS = itertools.count()


@dataclass
class Model:
    """What must be there: the memories by id, in the order in which they came."""

    there: dict[str, Memory] = field(default_factory=dict)

    def same(self, memory: Memory, now: datetime) -> Memory | None:
        """The active memory of the same text, unexpired; an expired one is archived."""
        for other in self.there.values():
            if other.status == "active" and other.raw_text == memory.raw_text and other.memory_id != memory.memory_id:
                if other.expires_at is None or other.expires_at > now:
                    return other
                self.there[other.memory_id] = other.model_copy(
                    update={"status": "archived", "version": other.version + 1, "updated_at": now}
                )
        return None

    def add(self, memory: Memory) -> tuple[Memory, bool]:
        there = self.same(memory, memory.created_at)
        if there is not None:
            return there, False
        self.there[memory.memory_id] = memory
        return memory, True

    def conflicts(self, memory: Memory) -> bool:
        if memory.version != self.there[memory.memory_id].version + 1:
            return True
        if memory.status == "active" and self.same(memory, memory.updated_at) is not None:
            return True
        self.there[memory.memory_id] = memory
        return False


@examples(25, HealthCheck.function_scoped_fixture)
@given(doings=st.lists(DOINGS, max_size=8))
def test_any_sequence_of_writes_leaves_what_it_must(
    ports: Ports, writer: Writer, doings: Sequence[tuple[object, ...]]
) -> None:
    user, model, now = f"local|user{next(USERS)}", Model(), NOON
    for kind, *details in doings:
        now += timedelta(hours=1)
        if kind == "add":
            entries = [entry_of(writer, user, text, expires, now) for text, expires in details[0]]  # type: ignore[attr-defined]
            assert ports.records.add(entries) == [model.add(entry.memory) for entry in entries]
        elif kind != "wait" and model.there:
            write(ports, model, changed(model, kind, details, now))
    assert list(ports.records.all(user)) == list(model.there.values())
    for memory in model.there.values():
        assert len(ports.records.audits(user, memory.memory_id)) == memory.version


def entry_of(writer: Writer, user: str, text: str, expires: bool, now: datetime) -> Entry:
    end = now + timedelta(minutes=90) if expires else None
    return writer.entry(text, user, created_at=now, updated_at=now, expires_at=end)


def changed(model: Model, kind: object, details: Sequence[object], now: datetime) -> Memory:
    """Some memory as the doing would have it."""
    memories = list(model.there.values())
    old = memories[int(str(details[0])) % len(memories)]
    fields: dict[str, object] = {"version": old.version + 1, "updated_at": now}
    if kind == "delete":
        fields["status"] = "deleted"
    elif kind == "reword":
        fields |= {"raw_text": details[1], "status": "active"}
    else:
        fields["version"] = old.version + 2
    return old.model_copy(update=fields)


def write(ports: Ports, model: Model, memory: Memory) -> None:
    audit = Audit("change", memory.updated_at, {})
    if not model.conflicts(memory):
        assert ports.records.update(memory, audit) == memory
        return
    with pytest.raises(CommonplaceError) as caught:
        ports.records.update(memory, audit)
    assert caught.value.code is ErrorCode.CONFLICT
