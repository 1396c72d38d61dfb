"""Sends dead letters, and the ids of users whose nightly run is due, to SQS queues."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import botocore.session
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError

from commonplace.domain.batching import in_batches
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.ports.values import DeadLetter

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

_BATCH = 10  # messages per batch


def connect(region: str | None = None, endpoint_url: str | None = None) -> "SQSClient":
    """Create a client that tries each call at most three times. By default, `region` comes from the environment."""
    config = Config(retries={"mode": "standard", "total_max_attempts": 3}, connect_timeout=1, read_timeout=3)
    return botocore.session.get_session().create_client(  # type: ignore[return-value]
        "sqs", region_name=region, endpoint_url=endpoint_url, config=config
    )


class _Queue:
    def __init__(self, client: "SQSClient", url: str) -> None:
        self._client, self._url = client, url

    def _send_messages(self, messages: Iterable[Mapping[str, Any]], seconds: int = 0) -> int:
        """Send messages that become visible after `seconds`, and return the number of messages sent."""
        sent = 0
        for batch in in_batches(messages, _BATCH):
            bodies = enumerate(map(json.dumps, batch))
            entries: list[Any] = [{"Id": str(at), "MessageBody": body, "DelaySeconds": seconds} for at, body in bodies]
            try:
                answer = self._client.send_message_batch(QueueUrl=self._url, Entries=entries)
            except (ClientError, BotoCoreError) as error:
                kind = error.response["Error"]["Code"] if isinstance(error, ClientError) else type(error).__name__
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, f"the queue can't be used: {kind}") from error
            if len(answer.get("Successful", ())) < len(entries):  # a truncated answer lacks this list
                raise CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, "the queue has not taken every message")
            sent += len(entries)
        return sent


class SqsDeadLetters(_Queue):
    def send(self, letters: Sequence[DeadLetter]) -> None:
        """Send all letters. Raises `STORAGE_UNAVAILABLE` if one can't be sent."""
        self._send_messages(map(asdict, letters))


class SqsNightQueue(_Queue):
    """Sends `{"user_id": ...}` for a nightly run, and `{"user_id": ..., "run_id": ...}` for a run to continue."""

    def send(self, user_ids: Iterable[str]) -> int:
        return self._send_messages({"user_id": user_id} for user_id in user_ids)

    def send_run(self, user_id: str, run_id: str, seconds: int = 0) -> None:
        self._send_messages([{"user_id": user_id, "run_id": run_id}], seconds)
