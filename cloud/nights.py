"""The nights of the cloud in a box: a queue and a bucket, which moto plays in this process, and the queue's workers."""

import json
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import boto3
from moto import mock_aws

from cloud import schedule
from cloud.invoking import ACCOUNT, REGION, Context
from cloud.queue import Workers
from cloud.template import Template

_BUCKET = f"commonplace-pages-{ACCOUNT}"


@contextmanager
def nights(template: Template) -> Iterator[str]:
    """The queue with its workers, and the bucket, told to the functions by their environment; gives the queue's URL.

    Until the end SQS and S3 are in this process; all else is asked where it is.
    """
    source = template.queue_sources["night"]
    with mock_aws():
        sqs: Any = boto3.client("sqs", region_name=REGION)
        url = _queue(sqs, 6 * source.seconds)
        _bucket()
        os.environ |= {"COMMONPLACE_NIGHT_QUEUE": url, "COMMONPLACE_PAGES_BUCKET": _BUCKET}
        with Workers(sqs, url, template.functions["night"].handler(), source):
            yield url


def plan(template: Template) -> int:
    """Calls the planner as the schedule does; for how many users it has asked for a night."""
    users: int = template.functions["plan"].handler()(schedule.event(), Context("plan", 900.0))["users"]
    return users


def all_read(url: str, seconds: float) -> bool:
    """Waits until the queue has no message left, with a worker or without; whether it came to that in time."""
    sqs: Any = boto3.client("sqs", region_name=REGION)
    names: Any = ["ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible"]  # in one answer: they change
    until = time.monotonic() + seconds
    while any(map(int, sqs.get_queue_attributes(QueueUrl=url, AttributeNames=names)["Attributes"].values())):
        if time.monotonic() > until:
            return False
        time.sleep(0.1)
    return True


def _queue(sqs: Any, visibility: float) -> str:
    dead = sqs.create_queue(QueueName="night-dead-letters")["QueueUrl"]
    arn = sqs.get_queue_attributes(QueueUrl=dead, AttributeNames=["QueueArn"])["Attributes"]["QueueArn"]
    redrive = json.dumps({"deadLetterTargetArn": arn, "maxReceiveCount": 5})
    attributes = {"VisibilityTimeout": str(round(visibility)), "RedrivePolicy": redrive}
    url: str = sqs.create_queue(QueueName="nights", Attributes=attributes)["QueueUrl"]
    return url


def _bucket() -> None:
    s3: Any = boto3.client("s3", region_name=REGION)
    s3.create_bucket(Bucket=_BUCKET, CreateBucketConfiguration={"LocationConstraint": REGION})
    s3.put_bucket_versioning(Bucket=_BUCKET, VersioningConfiguration={"Status": "Enabled"})
