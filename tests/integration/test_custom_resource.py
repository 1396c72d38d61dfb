"""The setup function tells CloudFormation how it went, whatever happens."""

import json
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from commonplace.indexing.stream import Projector
from commonplace.interfaces.aws import container, index_functions
from commonplace.ports.values import IndexUnavailable
from tests.integration.lambda_calls import Context

pytestmark = pytest.mark.integration

STACK = "arn:aws:cloudformation:eu-central-1:111122223333:stack/memories/5b918d10"


@dataclass
class Bucket:
    """Where the signed URL points: it takes what is put, after so many failures."""

    url: str = ""
    failures: int = 0
    puts: list[tuple[dict[str, str], Any]] = field(default_factory=list)

    @property
    def answer(self) -> Any:
        ((_, answer),) = self.puts
        return answer


@pytest.fixture
def bucket(monkeypatch: pytest.MonkeyPatch) -> Iterator[Bucket]:
    kept = Bucket()

    class Handler(BaseHTTPRequestHandler):
        def do_PUT(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.failures -= 1
            if kept.failures < 0:
                kept.puts.append((dict(self.headers), json.loads(body)))
            self.send_response(503 if kept.failures >= 0 else 200)
            self.end_headers()

        def log_message(self, *_: Any) -> None:
            """Nothing."""

    monkeypatch.setattr(index_functions, "_PAUSE", 0.01)
    with HTTPServer(("127.0.0.1", 0), Handler) as server:
        kept.url = f"http://127.0.0.1:{server.server_port}/signed?X-Amz-Signature=1"
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        yield kept
        server.shutdown()
        thread.join()


def request(bucket: Bucket, kind: str = "Create", **more: Any) -> dict[str, Any]:
    return {
        "RequestType": kind, "ResponseURL": bucket.url, "StackId": STACK, "RequestId": "request-1", "LogicalResourceId": "Index",
        "ResourceType": "Custom::Index", "ResourceProperties": {"ServiceToken": "arn", "Version": "1"}, **more,
    }  # fmt: skip


@pytest.fixture
def made_by(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], bool]], None]:
    """Puts something else in the place of what makes the index."""

    def put(set_up: Callable[[], bool]) -> None:
        kept = Projector(None, None, None, None, None, set_up)  # type: ignore[arg-type]
        monkeypatch.setattr(container, "projector", lambda: kept)

    return put


@pytest.mark.parametrize(("as_laid_out", "needed"), [(True, "false"), (False, "true")])
def test_an_index_that_is_made_is_told(bucket: Bucket, made_by: Any, as_laid_out: bool, needed: str) -> None:
    made_by(lambda: as_laid_out)
    index_functions.setup(request(bucket), Context())
    assert bucket.answer == {
        "Status": "SUCCESS", "Reason": "done", "PhysicalResourceId": f"{STACK}/Index", "StackId": STACK,
        "RequestId": "request-1", "LogicalResourceId": "Index", "Data": {"ReindexNeeded": needed},
    }  # fmt: skip
    assert bucket.puts[0][0].get("Content-Type", "") == ""  # what the URL was signed for


@pytest.mark.parametrize("error", [IndexUnavailable("no route"), RuntimeError("Zanzibar"), SystemError()], ids=repr)
def test_a_failure_is_told_too(bucket: Bucket, made_by: Any, error: Exception) -> None:
    def broken() -> bool:
        raise error

    made_by(broken)
    index_functions.setup(request(bucket, "Update", PhysicalResourceId="kept"), Context())
    assert (bucket.answer["Status"], bucket.answer["PhysicalResourceId"]) == ("FAILED", "kept")
    assert "Zanzibar" not in bucket.answer["Reason"]
    assert Context().aws_request_id in bucket.answer["Reason"]
    assert ("no route" in bucket.answer["Reason"]) == isinstance(error, IndexUnavailable)


def test_work_that_takes_too_long_is_told_before_lambda_ends_it(bucket: Bucket, made_by: Any) -> None:
    answered = threading.Event()
    made_by(lambda: answered.wait(60))
    try:
        index_functions.setup(request(bucket), Context(milliseconds=26_000))
    finally:
        answered.set()
    assert (bucket.answer["Status"], "longer" in bucket.answer["Reason"]) == ("FAILED", True)


def test_the_work_knows_how_long_its_function_may_run(bucket: Bucket, made_by: Any) -> None:
    made_by(lambda: 0 < container.left() <= 60)
    index_functions.setup(request(bucket), Context(milliseconds=60_000))
    assert bucket.answer["Data"] == {"ReindexNeeded": "false"}


def test_nothing_is_deleted_with_the_resource(bucket: Bucket, made_by: Any) -> None:
    made_by(lambda: pytest.fail("nothing is to be made"))
    index_functions.setup(request(bucket, "Delete", PhysicalResourceId="kept"), Context())
    assert bucket.answer["Status"] == "SUCCESS"


def test_an_answer_that_does_not_arrive_is_put_again(bucket: Bucket, made_by: Any) -> None:
    made_by(lambda: True)
    bucket.failures = 2
    index_functions.setup(request(bucket), Context())
    assert bucket.answer["Status"] == "SUCCESS"


def test_an_answer_that_never_arrives_is_an_error_of_the_function(bucket: Bucket, made_by: Any) -> None:
    made_by(lambda: True)
    bucket.failures = 99
    with pytest.raises(TimeoutError):
        index_functions.setup(request(bucket), Context())
