"""The workers behind a queue: each message to the function, done with, or again when its time is over."""

import threading
import time
from collections.abc import Callable, Iterator
from typing import Any

import boto3
import pytest
from moto import mock_aws

from cloud.invoking import REGION
from cloud.nights import all_read
from cloud.queue import QueueSource, Workers

ONE_BY_ONE = QueueSource(batch_size=1, most_at_once=3, partial=True)


@pytest.fixture
def sqs() -> Iterator[Any]:
    with mock_aws():
        yield boto3.client("sqs", region_name=REGION)


@pytest.fixture
def url(sqs: Any) -> str:
    dead = sqs.create_queue(QueueName="dead")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = f'{{"deadLetterTargetArn": "{arn}", "maxReceiveCount": 3}}'
    made = sqs.create_queue(QueueName="nights", Attributes={"VisibilityTimeout": "1", "RedrivePolicy": redrive})
    found: str = made["QueueUrl"]
    return found


def sent(sqs: Any, url: str, *bodies: str) -> None:
    for body in bodies:
        sqs.send_message(QueueUrl=url, MessageBody=body)


def failing(*bodies: str) -> tuple[list[str], Callable[[dict[str, Any], Any], Any]]:
    """What is handled, and a handler that names these as failed."""
    handled: list[str] = []

    def handle(event: dict[str, Any], context: Any) -> Any:
        handled.extend(record["body"] for record in event["Records"])
        again = [record["messageId"] for record in event["Records"] if record["body"] in bodies]
        return {"batchItemFailures": [{"itemIdentifier": message} for message in again]}

    return handled, handle


def test_each_message_comes_once_in_the_shape_that_lambda_gives_it(sqs: Any, url: str) -> None:
    from aws_lambda_powertools.utilities.parser.models import SqsModel

    events: list[dict[str, Any]] = []
    sent(sqs, url, "a", "b")
    with Workers(sqs, url, lambda event, _context: events.append(event), ONE_BY_ONE):
        assert all_read(url, 10)
    assert sorted(event["Records"][0]["body"] for event in events) == ["a", "b"]
    assert all(len(SqsModel.model_validate(event).Records) == 1 for event in events)


def test_what_fails_comes_again_alone_and_is_set_aside_in_the_end(sqs: Any, url: str) -> None:
    handled, handle = failing("b")
    sent(sqs, url, "a", "b", "c")
    with Workers(sqs, url, handle, QueueSource(batch_size=10, partial=True)):
        assert all_read(url, 15)
    assert (handled.count("a"), handled.count("b"), handled.count("c")) == (1, 3, 1)
    dead = sqs.get_queue_url(QueueName="dead")["QueueUrl"]
    assert [message["Body"] for message in sqs.receive_message(QueueUrl=dead)["Messages"]] == ["b"]


@pytest.mark.parametrize("answer", [{"batchItemFailures": [{"itemIdentifier": "none of them"}]}, RuntimeError("down")])
def test_what_names_no_message_or_is_raised_fails_the_whole_batch(sqs: Any, url: str, answer: Any) -> None:
    handled: list[str] = []

    def handle(event: dict[str, Any], context: Any) -> Any:
        handled.extend(record["body"] for record in event["Records"])
        if isinstance(answer, Exception) and len(handled) < 3:
            raise answer
        return answer if len(handled) < 3 else None

    sent(sqs, url, "a", "b")
    with Workers(sqs, url, handle, QueueSource(batch_size=10, most_at_once=1, partial=True)):
        assert all_read(url, 10)
    assert sorted(handled) == ["a", "a", "b", "b"]


def test_no_more_are_at_work_than_the_source_says(sqs: Any, url: str) -> None:
    lock, now, most = threading.Lock(), [0], [0]

    def handle(event: dict[str, Any], context: Any) -> None:
        with lock:
            now[0] += 1
            most[0] = max(most[0], now[0])
        time.sleep(0.05)
        with lock:
            now[0] -= 1

    sent(sqs, url, *map(str, range(12)))
    with Workers(sqs, url, handle, ONE_BY_ONE):
        assert all_read(url, 15)
    assert most[0] == 3
