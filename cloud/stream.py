"""Reads the stream of a table and calls a function with it, in the place of Lambda's event source mapping.

`ParallelizationFactor` is not followed: of each shard one batch is on its way at a time, which keeps more order, not less.
"""

import base64
import json
import logging
import threading
import time
from collections.abc import Callable, Mapping
from types import TracebackType
from typing import Any, Self

from botocore.exceptions import BotoCoreError, ClientError

from cloud.batches import Record, Shard, Source
from cloud.invoking import Context, Handler

_PAUSE = 0.25  # seconds between two looks at a shard: four a second, as the service does
_LOOK = 2.0  # seconds between two looks at the list of shards
_PAGE = 1000  # records; the most that one read gives
_TROUBLE = (BotoCoreError, ClientError, KeyError)  # boto3 takes an answer that was cut for one without content
_log = logging.getLogger("cloud")


class Poller:
    """Hands every change of a table to a handler while it is entered; a thread for each shard, parents before children.

    `client`: boto3's `dynamodbstreams`. `checkpoints`: the last sequence number done with, by shard; a poller that gets
    those of another goes on where that one stopped, and begins at the oldest record where there is none.
    """

    def __init__(
        self,
        client: Any,
        stream: str,
        handler: Handler,
        source: Source,
        *,
        function: str = "index",
        discarded: Callable[[dict[str, Any]], None] = lambda told: _log.error("left behind: %s", json.dumps(told)),
        checkpoints: dict[str, str] | None = None,
    ) -> None:
        self.checkpoints = {} if checkpoints is None else checkpoints
        self._client, self._stream, self._handler, self._source = client, stream, handler, source
        self._function, self._discarded = function, discarded
        self._stop = threading.Event()
        self._threads: dict[str, threading.Thread] = {}
        self._ended: set[str] = set()

    def __enter__(self) -> Self:
        self._watch = threading.Thread(target=self._follow, name="stream", daemon=True)
        self._watch.start()
        return self

    def __exit__(self, _kind: type[BaseException] | None, _error: BaseException | None, _trace: TracebackType | None) -> None:
        self._stop.set()
        for thread in (self._watch, *self._threads.values()):
            thread.join()

    def _follow(self) -> None:
        while not self._stop.is_set():
            try:
                shards = self._shards()
            except _TROUBLE as error:
                _log.warning("the list of shards: %s", error)
                shards = {}
            for name, parent in shards.items():
                if name not in self._threads and (parent not in shards or parent in self._ended):
                    self._threads[name] = threading.Thread(target=self._read, args=(name,), name=name, daemon=True)
                    self._threads[name].start()
            self._stop.wait(_LOOK)

    def _shards(self) -> dict[str, str | None]:
        """The shards and their parents."""
        found: dict[str, str | None] = {}
        start: dict[str, str] = {}
        while True:
            told = self._client.describe_stream(StreamArn=self._stream, **start)["StreamDescription"]
            found |= {shard["ShardId"]: shard.get("ParentShardId") for shard in told["Shards"]}
            if not told.get("LastEvaluatedShardId"):
                return found
            start = {"ExclusiveStartShardId": told["LastEvaluatedShardId"]}

    def _read(self, name: str) -> None:
        shard = Shard(
            self._source, self._invoke, self._discarded, name=name, stream=self._stream, function=self._function,
            wait=self._stop.wait, stopped=self._stop.is_set,
        )  # fmt: skip
        iterator: str | None = None
        waiting: list[Record] = []
        since = 0.0
        while not self._stop.is_set():
            try:
                iterator = iterator or self._iterator(name)
                page = self._client.get_records(ShardIterator=iterator, Limit=_PAGE)
                came = [as_lambda_has_it(record, self._stream) for record in page["Records"]]
            except _TROUBLE as error:  # an expired iterator too: begin at the checkpoint again
                _log.warning("%s: %s", name, error)
                if isinstance(error, self._client.exceptions.TrimmedDataAccessException):  # older than the stream keeps
                    self.checkpoints.pop(name, None)
                iterator, waiting = None, []
                self._stop.wait(_PAUSE)
                continue
            since = since if waiting else time.monotonic()
            waiting += came
            iterator = page.get("NextShardIterator")
            full = len(waiting) >= self._source.batch_size or time.monotonic() - since >= self._source.window
            if waiting and (full or iterator is None):
                shard.process(waiting)
                if shard.checkpoint:
                    self.checkpoints[name] = shard.checkpoint
                waiting = []
            if iterator is None:  # a shard that is closed has an end
                self._ended.add(name)
                return
            if not came:
                self._stop.wait(_PAUSE)

    def _iterator(self, name: str) -> str:
        done = self.checkpoints.get(name)
        where = {"ShardIteratorType": "TRIM_HORIZON"}
        if done:
            where = {"ShardIteratorType": "AFTER_SEQUENCE_NUMBER", "SequenceNumber": done}
        found: str = self._client.get_shard_iterator(StreamArn=self._stream, ShardId=name, **where)["ShardIterator"]
        return found

    def _invoke(self, event: dict[str, Any]) -> Any:
        try:
            return self._handler(event, Context(self._function))
        except Exception as error:
            _log.warning("%s failed, and gets it again: %s", self._function, type(error).__name__)
            raise


def as_lambda_has_it(record: Mapping[str, Any], stream: str) -> dict[str, Any]:
    """A record of boto3's in the JSON that a function gets: bytes in base64, moments as epoch seconds."""
    told = {**record, "eventSourceARN": stream}
    if "userIdentity" in record:  # what TTL has deleted
        told["userIdentity"] = {"type": record["userIdentity"]["Type"], "principalId": record["userIdentity"]["PrincipalId"]}
    moment = record["dynamodb"]["ApproximateCreationDateTime"].timestamp()
    told["dynamodb"] = {**record["dynamodb"], "ApproximateCreationDateTime": moment}
    plain: dict[str, Any] = json.loads(json.dumps(told, default=lambda raw: base64.b64encode(raw).decode()))
    return plain
