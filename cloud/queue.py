"""Takes messages from a queue and calls a function with them, in the place of Lambda's event source mapping.

A message that the function is done with is deleted; one that it names in `batchItemFailures`, or all of a batch when it
fails, comes again when its visibility timeout is over, until the queue sets it aside.
"""

import hashlib
import logging
import threading
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from types import TracebackType
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from cloud.invoking import ACCOUNT, REGION, Context, Handler

_PAUSE = 0.1  # seconds between two looks at an empty queue
_log = logging.getLogger("cloud")


@dataclass(frozen=True)
class QueueSource:
    """An event source mapping of a queue; `seconds`: what one invocation may take."""

    batch_size: int = 10
    most_at_once: int = 10
    partial: bool = False
    seconds: float = 30.0


class Workers:
    """Hands every message of a queue to a handler while it is entered, so many batches at once as its source says.

    `client`: boto3's `sqs`.
    """

    def __init__(self, client: Any, url: str, handler: Handler, source: QueueSource, *, function: str = "night") -> None:
        self._client, self._url, self._handler, self._source, self._function = client, url, handler, source, function
        self._stop, self._free = threading.Event(), threading.Semaphore(source.most_at_once)

    def __enter__(self) -> Self:
        self._threads = ThreadPoolExecutor(self._source.most_at_once, thread_name_prefix="worker")
        self._watch = threading.Thread(target=self._poll, name="queue", daemon=True)
        self._watch.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._stop.set()
        self._watch.join()
        self._threads.shutdown()

    def _poll(self) -> None:
        while not self._stop.is_set():
            if not self._free.acquire(timeout=_PAUSE):
                continue
            messages = self._received()
            if messages:
                self._threads.submit(self._work, messages)
            else:
                self._free.release()
                self._stop.wait(_PAUSE)

    def _received(self) -> Sequence[Mapping[str, Any]]:
        try:
            answer = self._client.receive_message(
                QueueUrl=self._url, MaxNumberOfMessages=self._source.batch_size, AttributeNames=["All"]
            )
        except (BotoCoreError, ClientError) as error:
            _log.warning("the queue: %s", error)
            return ()
        found: Sequence[Mapping[str, Any]] = answer.get("Messages", ())
        return found

    def _work(self, messages: Sequence[Mapping[str, Any]]) -> None:
        try:
            failed = self._failed(messages)
            for message in messages:
                if message["MessageId"] not in failed:
                    self._client.delete_message(QueueUrl=self._url, ReceiptHandle=message["ReceiptHandle"])
        except (BotoCoreError, ClientError) as error:
            _log.warning("the queue: %s", error)
        finally:
            self._free.release()

    def _failed(self, messages: Sequence[Mapping[str, Any]]) -> set[str]:
        """The ids of the messages that come again."""
        every = {message["MessageId"] for message in messages}
        try:
            event = {"Records": [as_lambda_has_it(message) for message in messages]}
            answer = self._handler(event, Context(self._function, self._source.seconds))
        except Exception as error:  # noqa: BLE001 - whatever a function raises, its batch comes again
            _log.warning("%s failed, and gets it again: %s", self._function, type(error).__name__)
            return every
        told = (answer or {}).get("batchItemFailures", ()) if self._source.partial else ()
        named = {failure["itemIdentifier"] for failure in told}
        return named if named <= every else every  # an id that is none fails all, as documented


def as_lambda_has_it(message: Mapping[str, Any]) -> dict[str, Any]:
    """A message of boto3's in the JSON that a function gets."""
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": dict(message.get("Attributes", {})),
        "messageAttributes": {},
        "md5OfBody": hashlib.md5(message["Body"].encode(), usedforsecurity=False).hexdigest(),
        "eventSource": "aws:sqs",
        "eventSourceARN": f"arn:aws:sqs:{REGION}:{ACCOUNT}:nights",
        "awsRegion": REGION,
    }
