"""What Lambda's event source mapping does with the records of one shard, as its documentation has it.

Batches go in order, and the next one only when the one before is done with. A function may answer `batchItemFailures`: the
lowest of its sequence numbers is the new checkpoint, and all from there on comes again. What fails for good, or has grown
too old, is left behind; the destination for failures is told where it lies in the stream, not what it says.
"""

import json
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Self

from cloud.filters import Pattern, passes, patterns

Record = Mapping[str, Any]
Invoke = Callable[[dict[str, Any]], Any]
"""Runs the function with an event; what it raises counts as its failure."""

_PAYLOAD = 6_000_000  # characters of an event
_FIRST_WAIT, _LONGEST_WAIT = 0.1, 10.0  # seconds between attempts; the service tells no numbers


@dataclass(frozen=True)
class Source:
    """An event source mapping; times in seconds, -1 means: without limit.

    Every failed attempt counts against `retries`, also one that got further than the one before (the documentation is
    silent there); a split does not.
    """

    batch_size: int = 100
    window: float = 0.0
    bisect: bool = False
    retries: int = -1
    age: float = -1
    partial: bool = False
    filters: Sequence[Pattern] = ()

    @classmethod
    def of(cls, given: Mapping[str, Any]) -> Self:
        """From the properties of a template's `DynamoDB` event."""
        return cls(
            batch_size=given.get("BatchSize", 100),
            window=given.get("MaximumBatchingWindowInSeconds", 0),
            bisect=given.get("BisectBatchOnFunctionError", False),
            retries=given.get("MaximumRetryAttempts", -1),
            age=given.get("MaximumRecordAgeInSeconds", -1),
            partial="ReportBatchItemFailures" in given.get("FunctionResponseTypes", ()),
            filters=patterns(given.get("FilterCriteria")),
        )


@dataclass
class Shard:
    """One shard's way through a function."""

    source: Source
    invoke: Invoke
    discarded: Callable[[dict[str, Any]], None]
    """The destination for failures; gets metadata."""
    name: str = "shardId-00000000000000000000-00000000"
    stream: str = ""
    function: str = "function"
    now: Callable[[], float] = time.time
    wait: Callable[[float], object] = time.sleep
    stopped: Callable[[], bool] = lambda: False
    checkpoint: str | None = field(default=None, init=False)
    """The last sequence number that is done with."""

    def process(self, records: Sequence[Record]) -> None:
        """Hands records over in batches and returns when each is done with, or at once after `stopped`."""
        wanted = [record for record in records if passes(record, self.source.filters)]
        for batch in _cut(wanted, self.source.batch_size):
            self._batch(batch, 0)
        if records and not self.stopped():
            self.checkpoint = _number(records[-1])

    def _batch(self, batch: Sequence[Record], failures: int) -> None:
        while not self.stopped():
            batch = self._young(batch, failures)
            if not batch:
                return
            done = self._attempt(batch)
            if done:
                self.checkpoint = _number(batch[done - 1])
            if done == len(batch):
                return
            batch = batch[done:]
            if self.source.bisect and (done or len(batch) > 1):  # a split is no retry
                middle = 0 if done else len(batch) // 2
                if middle:
                    self._batch(batch[:middle], failures)
                    batch = batch[middle:]
                continue
            failures += 1
            if 0 <= self.source.retries < failures:
                self._discard(batch, "RetryAttemptsExhausted", failures)
                return
            self.wait(min(_FIRST_WAIT * 2 ** min(failures - 1, 10), _LONGEST_WAIT))

    def _attempt(self, batch: Sequence[Record]) -> int:
        """How many of a batch, from its first on, the function has done."""
        try:
            answer = self.invoke({"Records": list(batch)})
            failed = (answer or {}).get("batchItemFailures") if self.source.partial else None
            places = {_number(record): place for place, record in enumerate(batch)}
            return min((places[item["itemIdentifier"]] for item in failed or ()), default=len(batch))
        except Exception:  # noqa: BLE001 - what a function raises, or answers in another shape, fails the whole batch
            return 0

    def _young(self, batch: Sequence[Record], failures: int) -> Sequence[Record]:
        if self.source.age < 0:
            return batch
        oldest = self.now() - self.source.age
        count = next((place for place, record in enumerate(batch) if _time(record) >= oldest), len(batch))
        if count:
            self._discard(batch[:count], "MaximumRecordAgeExceeded", failures)
        return batch[count:]

    def _discard(self, batch: Sequence[Record], condition: str, count: int) -> None:
        self.checkpoint = _number(batch[-1])
        context = {"requestId": str(uuid.uuid4()), "functionArn": self.function, "condition": condition}
        self.discarded(
            {
                "requestContext": {**context, "approximateInvokeCount": count},
                "responseContext": {"statusCode": 200, "executedVersion": "$LATEST", "functionError": "Unhandled"},
                "version": "1.0",
                "timestamp": _iso(self.now()),
                "DDBStreamBatchInfo": {
                    "shardId": self.name,
                    "startSequenceNumber": _number(batch[0]),
                    "endSequenceNumber": _number(batch[-1]),
                    "approximateArrivalOfFirstRecord": _iso(_time(batch[0])),
                    "approximateArrivalOfLastRecord": _iso(_time(batch[-1])),
                    "batchSize": len(batch),
                    "streamArn": self.stream,
                },
            }
        )


def _cut(records: Sequence[Record], most: int) -> Iterator[list[Record]]:
    """Batches of at most so many records, and of no more than one invocation may carry."""
    batch: list[Record] = []
    length = 0
    for record in records:
        size = len(json.dumps(record))
        if batch and (len(batch) == most or length + size > _PAYLOAD):
            yield batch
            batch, length = [], 0
        batch.append(record)
        length += size
    if batch:
        yield batch


def _number(record: Record) -> str:
    found: str = record["dynamodb"]["SequenceNumber"]
    return found


def _time(record: Record) -> float:
    return float(record["dynamodb"]["ApproximateCreationDateTime"])


def _iso(moment: float) -> str:
    return datetime.fromtimestamp(moment, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
