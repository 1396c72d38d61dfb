"""What goes wrong between here and the table: tried again inside the time, then told; nothing answered is lost or doubled."""

import itertools
import random
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from unittest.mock import Mock

import pytest
from botocore.awsrequest import AWSResponse

from commonplace.adapters.dynamodb.calls import Calls, Table, connect
from commonplace.adapters.dynamodb.ledger import DynamoLedger
from commonplace.adapters.dynamodb.operations import DynamoOperations
from commonplace.adapters.dynamodb.pending import DynamoPending
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.dynamodb.usage import DynamoUsage
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.interactions import Explicit
from commonplace.nightly.intake import record_interactions, split_text
from commonplace.ports.values import Audit, Caller, Change, Operation
from tests.conftest import NOON
from tests.contract.changes import WORDLESS
from tests.dynamodb_entries import USER, entry
from tests.dynamodb_faults import (
    BROKEN,
    BUSY,
    CONFLICT,
    IN_PROGRESS,
    THROTTLED,
    THROTTLED_WITHIN,
    AnswersHalf,
    Faults,
    LosesAnswers,
    refusing,
)
from tests.dynamodb_tables import PATIENT

pytestmark = pytest.mark.integration
CHANGE = Audit("change", NOON, {})
PASSING = [BROKEN, BUSY, CONFLICT, IN_PROGRESS, THROTTLED, THROTTLED_WITHIN]


@pytest.fixture
def client(dynamodb_client: object, dynamodb_url: str) -> Any:
    """A client of its own, since faults stay with it."""
    return connect("eu-central-1", dynamodb_url, PATIENT)


def over(client: Any, table_name: str, seconds: float = PATIENT) -> DynamoRecords:
    return DynamoRecords(Table(client, table_name, lambda: seconds))


@pytest.mark.parametrize("fault", PASSING)
def test_a_write_is_tried_again(client: Any, table_name: str, fault: Callable[..., AWSResponse]) -> None:
    records = over(client, table_name)
    faults = Faults(client, "TransactWriteItems", iter([fault, fault]))
    ((memory, created),) = records.add([entry("tea")])
    assert created
    assert faults.asked == 3
    assert records.get(USER, [memory.memory_id]) == [memory]


@pytest.mark.parametrize(("operation", "asked"), [("BatchGetItem", 1), ("Query", 2)])
def test_a_read_is_tried_again(client: Any, table_name: str, operation: str, asked: int) -> None:
    records = over(client, table_name)
    ((memory, _),) = records.add([entry("tea")])
    faults = Faults(client, operation, iter([BUSY, THROTTLED, BROKEN]))
    assert records.get(USER, [memory.memory_id]) == [memory]
    assert list(records.all(USER)) == [memory]
    assert faults.asked == asked + 3


def test_who_was_overtaken_while_the_older_rows_were_listed_is_told(
    client: Any, dynamodb_table: Table, table_name: str
) -> None:
    ((memory, _),) = over(client, table_name).add([entry("tea")])
    newer = memory.model_copy(update={"version": 2, "importance": 0.9})

    def overtaking() -> Iterator[None]:
        DynamoRecords(dynamodb_table).update(newer, CHANGE)
        yield None

    Faults(client, "Query", overtaking())
    sent = list[Any]()
    client.meta.events.register(
        "provide-client-params.dynamodb.TransactWriteItems", lambda params, **_: sent.extend(params["TransactItems"])
    )
    closed = memory.model_copy(update={"version": 2, "status": "deleted", "purge_at": NOON})
    with pytest.raises(CommonplaceError) as caught:
        over(client, table_name).update(closed, CHANGE)
    assert caught.value.code is ErrorCode.CONFLICT
    assert over(client, table_name).get(USER, [memory.memory_id]) == [newer]
    (each,) = zip(*(action.values() for action in sent), strict=True)
    names = [one.get("Item", one.get("Key"))["item"]["S"] for one in each]
    assert len(set(names)) == len(names)  # the service refuses two actions on one item, and says no conflict


def test_what_was_left_unprocessed_is_asked_again(client: Any, table_name: str) -> None:
    done = over(client, table_name).add([entry(f"memory {number}") for number in range(70)])
    memories = [memory for memory, _ in done]
    records = over(AnswersHalf(client), table_name)
    assert records.get(USER, [memory.memory_id for memory in memories]) == memories


def test_past_the_time_that_remains_it_is_told(client: Any, table_name: str) -> None:
    faults = Faults(client, "TransactWriteItems", itertools.repeat(CONFLICT))
    began = time.monotonic()
    with pytest.raises(CommonplaceError) as caught:
        over(client, table_name, 2.0).add([entry("tea")])
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert "injected" not in caught.value.message
    assert time.monotonic() - began < 8
    assert faults.asked >= 3


@pytest.mark.parametrize("code", ["AccessDeniedException", "ResourceNotFoundException", "ValidationException"])
def test_what_does_not_pass_is_told_at_once(client: Any, table_name: str, code: str) -> None:
    faults = Faults(client, "TransactWriteItems", itertools.repeat(refusing(code)))
    with pytest.raises(CommonplaceError) as caught:
        over(client, table_name).add([entry("tea")])
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE
    assert code in caught.value.message
    assert faults.asked == 1


def test_a_wish_of_several_transactions_that_died_between_them_is_whole_after_a_repeat(client: Any, table_name: str) -> None:
    ledger, caller = DynamoLedger(Table(client, table_name, lambda: PATIENT)), Caller(USER, NOON)
    text = "".join(f"I was at place {number}. " for number in range(12_500))
    wish = {"type": "explicit", "id": "w", "time": NOON.isoformat(), "text": text}
    faults = Faults(client, "TransactWriteItems", iter([None, refusing("ValidationException")]))
    with pytest.raises(CommonplaceError):
        record_interactions([wish], caller, ledger)
    assert faults.asked == 2
    assert 0 < len(ledger.pending(USER, 100)) < len(split_text(text))
    assert ledger.entries(USER, ["w"]) == []
    assert record_interactions([wish], caller, ledger).recorded == 1
    waiting = [entry.interaction for entry in ledger.pending(USER, 100)]
    assert "".join(one.text for one in waiting if isinstance(one, Explicit)) == text


def test_nobody_listening_is_told_in_time() -> None:
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("AWS_ACCESS_KEY_ID", "test")
        environment.setenv("AWS_SECRET_ACCESS_KEY", "test")
        records = over(connect("eu-central-1", "http://127.0.0.1:9"), "commonplace", 0.3)
    with pytest.raises(CommonplaceError) as caught:
        records.get(USER, ["mem_1"])
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE


def test_a_write_whose_answer_was_lost_is_known_again(client: Any, table_name: str) -> None:
    losing = LosesAnswers(client, times=3)
    records = over(losing, table_name)
    ((memory, created),) = records.add([entry("tea")])
    assert created
    changed = memory.model_copy(update={"version": 2, "importance": 0.9})
    losing.left = 2
    assert records.update(changed, CHANGE) == changed
    assert [audit.operation for audit in records.audits(USER, memory.memory_id)] == ["store", "change"]
    assert list(records.all(USER)) == [changed]


def test_a_search_whose_answer_was_lost_counts_once(client: Any, table_name: str) -> None:
    ((memory, _),) = over(client, table_name).add([entry("tea")])
    usage = DynamoUsage(Table(LosesAnswers(client, times=1), table_name))  # type: ignore[arg-type]
    usage.count(USER, [memory.memory_id], NOON)
    usage.fold(USER)
    assert over(client, table_name).get(USER, [memory.memory_id])[0].access_count == 1


def test_a_search_that_cannot_be_counted_is_answered_and_counted_later(client: Any, table_name: str) -> None:
    ((memory, _),) = over(client, table_name).add([entry("tea")])
    lost: list[int] = []
    usage = DynamoUsage(Table(client, table_name), lambda: lost.append(1))
    faults = Faults(client, "PutItem", iter([refusing("AccessDeniedException")] * 2))
    for _ in range(2):
        usage.count(USER, [memory.memory_id], NOON)
    assert (len(lost), faults.asked) == (2, 2)
    for _ in range(2):
        usage.count(USER, [memory.memory_id], NOON)
    usage.fold(USER)
    assert over(client, table_name).get(USER, [memory.memory_id])[0].access_count == 4
    assert len(lost) == 2


def test_through_any_weather_no_answered_write_is_missing_and_none_is_doubled(client: Any, table_name: str) -> None:
    chance = random.Random(7)
    weather = (chance.choice(PASSING) if chance.random() < 0.3 else None for _ in itertools.count())
    faults = Faults(client, "TransactWriteItems", weather)
    records = DynamoRecords(Table(client, table_name, lambda: PATIENT))
    texts = [f"memory {number % 30}" for number in range(60)]  # each said twice, by different threads

    with ThreadPoolExecutor(8) as pool:
        done = list(pool.map(lambda text: records.add([entry(text)])[0], texts))
        ids = sorted({memory.memory_id for memory, _ in done})
        list(pool.map(lambda memory_id: raised(records, memory_id), ids * 3))

    assert sum(created for _, created in done) == len(ids) == 30
    assert [memory.version for memory in records.get(USER, ids)] == [4] * 30
    assert all(len(records.audits(USER, memory_id)) == 4 for memory_id in ids)
    assert len(DynamoPending(Table(client, table_name)).pending(USER)[0]) == 30
    assert faults.asked > 150


def raised(records: DynamoRecords, memory_id: str) -> None:
    """One more version of a memory, whoever else raises it at this moment."""
    while True:
        (memory,) = records.get(USER, [memory_id])
        try:
            records.update(memory.model_copy(update={"version": memory.version + 1}), CHANGE)
        except CommonplaceError as error:
            if error.code is not ErrorCode.CONFLICT:
                raise
        else:
            return


def test_what_is_erased_goes_whole_though_the_first_attempt_died_half_way(
    client: Any, table_name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    records, table = over(client, table_name), Table(client, table_name, lambda: PATIENT)
    ((memory, _),) = records.add([entry("tea")])
    for _ in range(120):
        memory = records.update(
            memory.model_copy(update={"version": memory.version + 1}), Audit("change", NOON, {"was": "tea"})
        )
    gone = memory.model_copy(update={"version": memory.version + 1, "status": "deleted", **WORDLESS})
    forgets = Operation("op_1", USER, "FORGET", NOON, None, (Change(gone, CHANGE, before=memory, erases=True),), "run_1")
    with monkeypatch.context() as died:
        died.setattr(Calls, "transact_all", Mock(side_effect=KeyboardInterrupt))
        with pytest.raises(KeyboardInterrupt):
            DynamoOperations(table).apply(forgets)
    assert "tea" in str(records.audits(USER, memory.memory_id))
    assert not DynamoOperations(table).apply(forgets)
    assert "tea" not in str(records.audits(USER, memory.memory_id))
