"""The index function: batches of the table's stream, with records that are poison, refused or to come again."""

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import numpy as np
import pytest
from moto import mock_aws

from commonplace.adapters.dynamodb.rows import memory_item, stream_records
from commonplace.adapters.sqs import SqsDeadLetters, connect
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.indexing.stream import Projector
from commonplace.interfaces.aws import container, index_functions
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import DeadLetter, IndexChange, IndexOutcome, Stored, Tombstone
from tests.conftest import NOON
from tests.integration.lambda_calls import Context

pytestmark = pytest.mark.integration

USER = "direct|ana"
VECTOR = np.full(4, 0.5, dtype=np.float32)


def memory(number: int, **changes: Any) -> Memory:
    known: dict[str, Any] = {
        "memory_id": f"mem_{number:026d}", "user_id": USER, "raw_text": "Zanzibar", "normalized_text": "Zanzibar",
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": NOON, "updated_at": NOON,
    }  # fmt: skip
    return Memory(**{**known, **changes})


def record(number: int, name: str = "MODIFY", item: dict[str, Any] | None = None) -> dict[str, Any]:
    """A stream record as Lambda hands it over: binaries in base64."""
    image = item or dict(memory_item(memory(number), to_bytes(VECTOR)))
    written = {
        key: {"B": base64.b64encode(value["B"]).decode()} if isinstance(value.get("B"), bytes) else value
        for key, value in image.items()
    }
    images = {"OldImage": written} if name == "REMOVE" else {"NewImage": written}
    return {
        "eventID": f"{number:032x}",
        "eventName": name,
        "eventVersion": "1.1",
        "eventSource": "aws:dynamodb",
        "awsRegion": "eu-central-1",
        "dynamodb": {
            "ApproximateCreationDateTime": NOON.timestamp(),
            "Keys": {"user": image["user"], "item": image["item"]},
            **images,
            "SequenceNumber": f"{number * 100:021d}",
            "SizeBytes": 500,
            "StreamViewType": "NEW_AND_OLD_IMAGES",
        },
        "eventSourceARN": "arn:aws:dynamodb:eu-central-1:111122223333:table/memories/stream/2026-05-20T00:00:00.000",
    }


def poison(number: int) -> dict[str, Any]:
    item = dict(memory_item(memory(number), None))
    return record(number, item={**item, "record": {"S": '{"raw_text": "Zanzibar"'}})


@dataclass
class Index:
    """An index whose outcomes are told by the test; it notes what it was given, and what was confirmed."""

    outcomes: dict[str, IndexOutcome] = field(default_factory=dict)
    given: list[str] = field(default_factory=list)
    confirmed: list[str] = field(default_factory=list)
    sent: list[DeadLetter] = field(default_factory=list)
    queue_is_down: bool = False

    def put(self, changes: Sequence[IndexChange]) -> list[IndexOutcome]:
        names = [change.memory_id if isinstance(change, Tombstone) else change.memory.memory_id for change in changes]
        self.given += names
        return [self.outcomes.get(name, IndexOutcome("done")) for name in names]

    def confirm(self, user_id: str, memory_id: str, version: int) -> None:
        assert (user_id, version) == (USER, 1)
        self.confirmed.append(memory_id)

    def send(self, letters: Sequence[DeadLetter]) -> None:
        if self.queue_is_down:
            raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "down")
        self.sent += letters


@pytest.fixture
def index(monkeypatch: pytest.MonkeyPatch) -> Index:
    made = Index()
    kept = Projector(stream_records, made, made, made, made, lambda: True)  # type: ignore[arg-type]
    monkeypatch.setattr(container, "projector", lambda: kept)
    return made


def failures(*records: dict[str, Any]) -> list[int]:
    """The numbers of the records that Lambda is asked to bring again."""
    answer = index_functions.index(json.loads(json.dumps({"Records": records})), Context())
    assert set(answer) == {"batchItemFailures"}
    return [int(failed["itemIdentifier"]) // 100 for failed in answer["batchItemFailures"]]


def ids(*numbers: int) -> list[str]:
    return [memory(number).memory_id for number in numbers]


def test_a_record_is_read_with_its_vector() -> None:
    (read,) = stream_records({"Records": [record(1)]})
    assert isinstance(read.change, Stored)
    assert read.change.memory == memory(1)
    assert read.change.vector is not None
    assert read.change.vector.tolist() == VECTOR.tolist()
    assert (read.user_id, read.item, read.at) == (USER, f"memory#{memory(1).memory_id}", NOON.astimezone(UTC))


def test_a_record_without_a_vector_and_one_that_went() -> None:
    plain, gone = stream_records({"Records": [record(1, item=dict(memory_item(memory(1), None))), record(2, "REMOVE")]})
    assert plain.change == Stored(memory(1), None)
    assert gone.change == Tombstone(USER, memory(2).memory_id, 1)


def test_rows_that_are_no_memories_are_left_out() -> None:
    item = {"user": {"S": USER}, "item": {"S": "audit#mem_1#0000000001"}}
    assert not list(stream_records({"Records": [record(1, item=item)]}))


def test_a_batch_is_indexed_and_confirmed(index: Index) -> None:
    assert failures(record(1), record(2, "INSERT"), record(3, "REMOVE")) == []
    assert index.given == ids(1, 2, 3)
    assert index.confirmed == ids(1, 2)  # the row of a purged one went with it
    assert not index.sent


@pytest.mark.parametrize("where", [0, 1, 2])
def test_a_poison_record_does_not_stop_the_batch(where: int, index: Index, caplog: pytest.LogCaptureFixture) -> None:
    batch = [record(1), record(2)]
    batch.insert(where, poison(9))
    assert failures(*batch) == []
    assert index.confirmed == ids(1, 2)
    (letter,) = index.sent
    assert (letter.user_id, letter.item) == (USER, f"memory#{memory(9).memory_id}")
    assert letter.reason == "unreadable: ValidationError"
    assert "Zanzibar" not in caplog.text + str(letter)


@pytest.mark.parametrize(
    "broken",
    [{"record": {"S": memory(8).model_dump_json()}}, {"vector": {"B": "not base64"}}, {"record": {"N": "1"}}],
    ids=["another's record", "no base64", "no text"],
)
def test_what_cannot_be_read_is_set_aside(broken: Any, index: Index) -> None:
    item = {**memory_item(memory(9), to_bytes(VECTOR)), **broken}
    assert failures(record(1), record(9, item=item)) == []
    assert index.confirmed == ids(1)
    assert [letter.item for letter in index.sent] == [f"memory#{memory(9).memory_id}"]


def test_what_the_index_never_takes_is_set_aside_and_what_it_takes_later_comes_again(index: Index) -> None:
    index.outcomes = {ids(2)[0]: IndexOutcome("failed", "mapper_parsing_exception"), ids(3)[0]: IndexOutcome("retry", "429")}
    assert failures(record(1), record(2), record(3), record(4)) == [3]
    assert index.confirmed == ids(1, 4)
    assert [(letter.item, letter.reason) for letter in index.sent] == [
        (f"memory#{memory(2).memory_id}", "mapper_parsing_exception")
    ]


def test_a_letter_that_cannot_be_sent_brings_its_record_again(index: Index) -> None:
    index.queue_is_down = True
    index.outcomes = {ids(3)[0]: IndexOutcome("retry", "429")}
    assert failures(record(1), poison(2), record(3)) == [2, 3]
    assert index.confirmed == ids(1)


def test_what_fails_as_a_whole_comes_again_as_a_whole(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(_: object) -> list[IndexOutcome]:
        raise RuntimeError("Zanzibar")

    monkeypatch.setattr(index, "put", broken)
    assert failures(record(1), record(2)) == [1]


def test_a_change_that_cannot_be_confirmed_is_indexed_all_the_same(index: Index, monkeypatch: pytest.MonkeyPatch) -> None:
    def down(*_: object) -> None:
        raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the table is busy")

    monkeypatch.setattr(index, "confirm", down)
    assert failures(record(1), record(2)) == []


def test_the_lag_is_measured(index: Index, capsys: pytest.CaptureFixture[str]) -> None:
    fresh = record(1)
    fresh["dynamodb"]["ApproximateCreationDateTime"] = datetime.now(UTC).timestamp() - 2
    capsys.readouterr()
    failures(fresh)
    told = next(json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line)
    assert told["Indexed"] == [1]
    assert 2_000 <= told["IndexLag"][0] < 10_000


def test_dead_letters_reach_the_queue(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "testing")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "testing")
    letters = [DeadLetter(USER, f"memory#{number}", str(number), "why") for number in range(23)]
    with mock_aws():
        client = connect("eu-central-1")
        url = client.create_queue(QueueName="dead")["QueueUrl"]
        SqsDeadLetters(client, url).send(letters)
        found: list[Any] = []
        while batch := client.receive_message(QueueUrl=url, MaxNumberOfMessages=10).get("Messages"):
            found += [json.loads(message["Body"]) for message in batch]
        with pytest.raises(CommonplaceError) as caught:
            SqsDeadLetters(client, url + "-not").send(letters[:1])
    assert {letter["item"] for letter in found} == {letter.item for letter in letters}
    assert found[0].keys() == {"user_id", "item", "sequence", "reason"}
    assert caught.value.code is ErrorCode.STORAGE_UNAVAILABLE
