"""DynamoDB throttling, in conflict, broken, and its answers lost or cut: through the proxy, over whole tool calls."""

import random
import threading
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from moto import mock_aws

from cloud import faults
from cloud.listener import Request, Response
from cloud.proxy import Fault, FaultProxy, Forward
from commonplace.adapters.dynamodb.calls import Table, connect
from commonplace.adapters.dynamodb.records import DynamoRecords
from commonplace.adapters.sqs import SqsDeadLetters
from commonplace.adapters.sqs import connect as connect_sqs
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.values import Audit, DeadLetter
from tests.conftest import NOON
from tests.dynamodb_entries import USER, entry
from tests.dynamodb_faults import Body
from tests.faults.conftest import Open, Tell
from tests.faults.world import REGION, said_of

pytestmark = pytest.mark.integration

CONFLICT = faults.dynamodb_error(
    "TransactionCanceledException", CancellationReasons=[{"Code": "TransactionConflict"}, {"Code": "None"}]
)
WEATHER: dict[str, Fault] = {
    "throttled": faults.dynamodb_error("ThrottlingException"),
    "out of capacity": faults.dynamodb_error("ProvisionedThroughputExceededException"),
    "broken": faults.status(500),
    "cut before": faults.cut_before,
    "cut after": faults.cut_after,
    "cut within": faults.cut_within,
}


class Weather:
    """Every fourth request meets something; counts what."""

    def __init__(self) -> None:
        self.met: Counter[str] = Counter()
        self._chance, self._lock = random.Random(9), threading.Lock()

    def __call__(self, request: Request, forward: Forward) -> Response:
        writes = request.operation == "TransactWriteItems"
        with self._lock:
            fine = self._chance.random() > 0.25
            name = "" if fine else self._chance.choice([*WEATHER, *(["conflict"] * 3 if writes else [])])
            self.met[name] += not fine
        if fine:
            return forward(request)
        return (CONFLICT if name == "conflict" else WEATHER[name])(request, forward)


def test_through_throttling_conflicts_and_lost_answers(open_world: Open, dynamodb_url: str, tell: Tell) -> None:
    weather = Weather()
    with FaultProxy(dynamodb_url) as proxy:
        world = open_world(dynamodb=proxy.url)
        users = world.users(3)
        proxy.plan(weather, times=None)
        said = [(user, said_of(user, number)) for number in range(12) for user in users] * 2  # each by two at once
        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda one: world.store(*one), said))
            list(pool.map(lambda one: world.search(*one), said[:24]))
        proxy.heal()
        told = world.balance()
    audits = sum(len(world.records.audits(user, one)) for user, told in world.ledger.items() for one in told.values())
    tell(f"{told}; met {', '.join(f'{name} {count}' for name, count in sorted(weather.met.items()) if name)}")
    assert (told.not_indexed, told.pending) == (36, 36)  # no stream here: all are pending, and found
    assert (told.missing, told.doubled, told.not_found, told.of_others) == (0, 0, 0, 0)
    assert audits == told.answered == 36
    # On a slow machine one may run out of its five seconds: that is told, and was no answered write.
    assert world.statuses.keys() <= {200, 503}
    assert world.statuses[503] <= 0.05 * sum(world.statuses.values())
    assert all(weather.met[name] for name in (*WEATHER, "conflict"))


@pytest.mark.parametrize("text", ["tea", "茶" * 500], ids=["ascii", "cut within a letter"])
def test_an_answer_that_was_cut_is_asked_for_again(
    dynamodb_client: object, dynamodb_url: str, table_name: str, text: str
) -> None:
    with FaultProxy(dynamodb_url) as proxy:
        records = DynamoRecords(Table(connect(REGION, proxy.url, 30), table_name, lambda: 30.0))

        def cut(operation: str) -> None:
            proxy.heal()
            proxy.plan(faults.cut_within, lambda request: request.operation == operation, times=2)

        cut("TransactWriteItems")
        ((memory, created),) = records.add([entry(text)])
        assert created
        cut("BatchGetItem")
        assert records.get(USER, [memory.memory_id]) == [memory]
        cut("Query")
        assert list(records.all(USER)) == [memory]
        cut("TransactWriteItems")
        records.update(memory.model_copy(update={"version": 2}), Audit("change", NOON, {}))
        assert [audit.operation for audit in records.audits(USER, memory.memory_id)] == ["store", "change"]


@pytest.mark.sample
def test_past_its_time_a_cut_answer_is_told(dynamodb_client: object, dynamodb_url: str, table_name: str) -> None:
    with FaultProxy(dynamodb_url) as proxy:
        records = DynamoRecords(Table(connect(REGION, proxy.url), table_name, lambda: 0.5))
        proxy.plan(faults.cut_within, times=None)
        with pytest.raises(CommonplaceError) as caught:
            records.get(USER, ["mem_1"])
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE


@pytest.mark.sample
def test_dead_letters_whose_answer_was_cut_are_not_taken_for_sent(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "testing")
    answers: list[Callable[..., AWSResponse] | None] = [
        lambda **_: AWSResponse("", 200, HTTPHeaders(), Body(b'{"Failed": [{"Id')),
        None,
    ]
    with mock_aws():
        client = connect_sqs(REGION)
        url = client.create_queue(QueueName="dead")["QueueUrl"]
        events: Any = client.meta.events  # its stubs want a handler that answers nothing
        events.register_first("before-send.sqs.SendMessageBatch", lambda **how: (answer := answers.pop(0)) and answer(**how))
        letters = [DeadLetter(USER, "memory#1", "1", "why")]
        with pytest.raises(CommonplaceError):
            SqsDeadLetters(client, url).send(letters)
        SqsDeadLetters(client, url).send(letters)
