"""A client of the real server, between which and it things go wrong as a test tells them to."""

import io
import json
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

from botocore.awsrequest import AWSResponse
from botocore.compat import HTTPHeaders
from botocore.exceptions import ReadTimeoutError

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_NAMESPACE = "com.amazonaws.dynamodb.v20120810#"


class Body(io.BytesIO):
    def stream(self, **_: Any) -> Iterator[bytes]:
        yield self.read()


def refusing(code: str, reasons: list[str | None] | None = None) -> Callable[..., AWSResponse]:
    """An answer of the service as it gives it; the request never arrives. `reasons`: why a transaction was cancelled."""
    body: dict[str, Any] = {"__type": f"{_NAMESPACE}{code}", "message": "injected"}
    if reasons is not None:
        body["CancellationReasons"] = [{"Code": reason or "None"} for reason in reasons]
    status = 500 if code == "InternalServerError" else 400
    return lambda **_: AWSResponse("", status, HTTPHeaders(), Body(json.dumps(body).encode()))


CONFLICT = refusing("TransactionCanceledException", ["TransactionConflict", None])
THROTTLED_WITHIN = refusing("TransactionCanceledException", [None, "ThrottlingError", "TransactionConflict"])
THROTTLED = refusing("ThrottlingException")
BUSY = refusing("ProvisionedThroughputExceededException")
BROKEN = refusing("InternalServerError")
IN_PROGRESS = refusing("TransactionInProgressException")


class Faults:
    """What goes wrong with an operation, call by call; `asked` counts the attempts."""

    def __init__(self, client: "DynamoDBClient", operation: str, faults: Iterator[Callable[..., AWSResponse] | None]) -> None:
        self.asked = 0
        self._faults, self._turn = faults, threading.Lock()  # a generator answers one thread at a time
        events: Any = client.meta.events  # its stubs want a handler that answers nothing
        events.register(f"before-send.dynamodb.{operation}", self._before)

    def _before(self, **_: Any) -> AWSResponse | None:
        with self._turn:
            self.asked += 1
            fault = next(self._faults, None)
        return None if fault is None else fault()


class AnswersHalf:
    """Gives half of what is asked at once and leaves the rest unprocessed, as a throttled table does."""

    def __init__(self, client: "DynamoDBClient") -> None:
        self._client: Any = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def batch_get_item(self, RequestItems: dict[str, Any]) -> Any:  # noqa: N803 - the vendor's name
        ((table, asked),) = RequestItems.items()
        half = (len(asked["Keys"]) + 1) // 2
        answer = self._client.batch_get_item(RequestItems={table: {**asked, "Keys": asked["Keys"][:half]}})
        rest = asked["Keys"][half:]
        return {**answer, "UnprocessedKeys": {table: {**asked, "Keys": rest}} if rest else {}}


class LosesAnswers:
    """Does as asked, but the answer is lost on its way, the first `times` times."""

    def __init__(self, client: "DynamoDBClient", times: int = 1) -> None:
        self._client, self.left = client, times

    def __getattr__(self, name: str) -> Any:
        call = getattr(self._client, name)
        if name not in ("transact_write_items", "put_item", "delete_item"):
            return call

        def losing(**arguments: Any) -> Any:
            answer = call(**arguments)
            if self.left > 0:
                self.left -= 1
                raise ReadTimeoutError(endpoint_url="http://127.0.0.1")
            return answer

        return losing
