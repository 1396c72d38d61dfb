"""The laws of operations: together or not at all, once, never by an older lease, and what is kept to take them back."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import timedelta

import pytest

from commonplace.bootstrap.local import OpenStore
from commonplace.domain.errors import ErrorCode
from commonplace.ports.bundle import Ports
from commonplace.ports.night import NightPorts
from commonplace.ports.values import Audit, Fence
from tests.conftest import NOON
from tests.contract.changes import ANA, BEN, LATER, answer, changed, closing, opening, operation, refused, state
from tests.contract.conftest import Writer


@pytest.fixture
def ports(opened: OpenStore) -> Ports:
    return opened.ports


def test_one_closes_and_another_takes_its_key_and_its_content(ports: Ports, writer: Writer) -> None:
    old = writer.write("Ana likes tea", key="drink", tags=("tea",))
    new = opening(writer, "Ana likes tea", key="drink", tags=("tea",), supersedes=old.memory_id)
    close = closing(old, superseded_by=new.memory.memory_id)
    assert ports.operations.apply(operation(close, opens=new))
    assert list(ports.records.all(ANA)) == [close.memory, new.memory]
    assert ports.operations.holder(ANA, "default", "drink", LATER) == new.memory
    assert ports.facts.tags(ANA) == {"tea": 1}
    assert ports.records.audits(ANA, old.memory_id)[1:] == [close.audit]
    assert ports.records.audits(ANA, new.memory.memory_id) == [new.audit]


def test_several_close_at_once(ports: Ports, writer: Writer) -> None:
    closes = [closing(writer.write(text), "deleted") for text in ("tea", "coffee", "milk")]
    assert ports.operations.apply(operation(*closes))
    assert list(ports.records.all(ANA)) == [close.memory for close in closes]


def test_what_has_another_version_is_a_conflict_and_nothing_is_done(ports: Ports, writer: Writer) -> None:
    tea, coffee = writer.write("tea", key="drink", tags=("hot",)), writer.write("coffee")
    users_own = changed(coffee, importance=0.9)
    ports.records.update(users_own, Audit("change", LATER, {}))
    wanted = operation(closing(tea), closing(coffee), opens=opening(writer, "milk", key="drink"))
    assert refused(ports, wanted) is ErrorCode.CONFLICT
    assert ports.records.get(ANA, [coffee.memory_id]) == [users_own]


def test_what_is_not_there_or_somebody_elses_is_a_conflict(ports: Ports, writer: Writer) -> None:
    unknown, his = writer.entry("tea").memory, writer.write("coffee", user_id=BEN)
    assert refused(ports, operation(closing(unknown))) is ErrorCode.CONFLICT
    assert refused(ports, operation(closing(his.model_copy(update={"user_id": ANA})))) is ErrorCode.CONFLICT
    assert list(ports.records.all(BEN)) == [his]


@pytest.mark.parametrize("text", ["Tea", "coffee"])
def test_what_another_memory_says_or_holds_is_a_conflict(ports: Ports, writer: Writer, text: str) -> None:
    writer.write("tea", key="drink")
    other = writer.write("milk")
    wanted = operation(closing(other), opens=opening(writer, text, key="drink"))
    assert refused(ports, wanted) is ErrorCode.CONFLICT


def test_an_id_that_is_taken_is_a_conflict(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea")
    assert refused(ports, operation(opens=opening(writer, "milk", memory_id=tea.memory_id))) is ErrorCode.CONFLICT


@pytest.mark.parametrize(("text", "key"), [("voucher", None), ("another", "offer"), ("voucher", "offer")])
def test_an_expired_memory_in_the_way_is_archived(ports: Ports, writer: Writer, text: str, key: str | None) -> None:
    old = writer.write("voucher", key="offer", expires_at=NOON + timedelta(hours=1))
    assert ports.operations.apply(operation(opens=opening(writer, text, key=key)))
    (archived,) = ports.records.get(ANA, [old.memory_id])
    assert (archived.status, archived.version, archived.updated_at) == ("archived", 2, LATER)
    assert ports.records.audits(ANA, old.memory_id)[1].operation == "archive"


def test_applied_again_it_does_nothing(ports: Ports, writer: Writer) -> None:
    wanted = operation(closing(writer.write("tea")), opens=opening(writer, "milk"))
    assert ports.operations.apply(wanted)
    before = state(ports, ANA), ports.operations.applied(ANA, "op_1")
    assert not ports.operations.apply(wanted)
    assert not ports.operations.apply(operation(opens=opening(writer, "coffee")))
    assert (state(ports, ANA), ports.operations.applied(ANA, "op_1")) == before


def test_ten_at_once_apply_it_once(ports: Ports, writer: Writer) -> None:
    wanted = operation(closing(writer.write("tea")), opens=opening(writer, "milk"))
    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda _: ports.operations.apply(wanted), range(10)))
    assert sum(answers) == 1
    assert [memory.version for memory in ports.records.all(ANA)] == [2, 1]


def test_of_ten_that_want_to_close_the_same_one_does(ports: Ports, writer: Writer) -> None:
    tea = writer.write("tea", key="drink")
    wanted = [operation(closing(tea), opens=opening(writer, f"milk {n}", key="drink"), number=n) for n in range(10)]

    with ThreadPoolExecutor(10) as pool:
        answers = list(pool.map(lambda one: answer(ports, one), wanted))
    assert sorted(map(str, answers)) == sorted(["True"] + [str(ErrorCode.CONFLICT)] * 9)
    assert [memory.status for memory in ports.records.all(ANA)] == ["superseded", "active"]


def test_ids_of_operations_are_the_users_own(ports: Ports, writer: Writer) -> None:
    assert ports.operations.apply(operation(opens=opening(writer, "tea")))
    assert ports.operations.applied(BEN, "op_1") is None
    assert ports.operations.apply(operation(opens=opening(writer, "tea", BEN), user_id=BEN))


def test_the_newest_lease_writes_and_an_older_does_not(ports: Ports, night: NightPorts, writer: Writer) -> None:
    tea = writer.write("tea")
    old = night.leases.lease(ANA, NOON, LATER)
    new = night.leases.lease(ANA, LATER, LATER + timedelta(hours=1))
    assert old is not None
    assert new is not None
    assert refused(ports, operation(closing(tea)), old) is ErrorCode.LEASE_LOST
    assert refused(ports, operation(closing(tea)), Fence(ANA, new.number + 1)) is ErrorCode.LEASE_LOST
    assert ports.operations.apply(operation(closing(tea)), new)


def test_what_is_added_closed_stands_in_nobodys_way(ports: Ports, writer: Writer) -> None:
    current = writer.write("Ana lives in Berlin", key="home")
    older = opening(writer, "Ana lives in Berlin", status="superseded", superseded_by=current.memory_id, valid_to=NOON)
    assert ports.operations.apply(operation(opens=older))
    assert ports.records.get(ANA, [older.memory.memory_id]) == [older.memory]
    assert ports.operations.holder(ANA, "default", "home", LATER) == current


def test_the_newest_that_is_no_undo_is_told(ports: Ports, writer: Writer) -> None:
    assert ports.operations.newest(ANA) is None
    tea, coffee = (opening(writer, text) for text in ("tea", "coffee"))
    for number, opens in ((2, coffee), (1, tea)):
        ports.operations.apply(operation(opens=opens, number=number))
    back = replace(operation(closing(coffee.memory, "deleted"), number=3), kind="UNDO")
    ports.operations.apply(back)
    ports.operations.apply(operation(opens=opening(writer, "milk", user_id=BEN), number=9, user_id=BEN))
    newest = ports.operations.newest(ANA)
    assert newest == ports.operations.applied(ANA, "op_2")
    assert newest is not None
    assert [made.memory_id for made in newest.made] == [coffee.memory.memory_id]
