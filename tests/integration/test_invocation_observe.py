"""What a function tells of its calls, and what it never does."""

import json
import logging
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from commonplace.interfaces.aws import container
from commonplace.ports.bundle import Ports
from tests.integration.cloud_functions import ports as ports
from tests.integration.lambda_calls import KINDS, Context, Kind, called, handler, http

pytestmark = pytest.mark.integration

ROOT = Path(__file__).parents[2]
SECRET_TEXT = "Zanzibar is where my xylophone lives"


@dataclass(frozen=True)
class Told:
    """What a function has written to its standard output: lines of the log, and of metrics."""

    text: str

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [line for line in self._all if "_aws" not in line]

    @property
    def metrics(self) -> list[dict[str, Any]]:
        return [line for line in self._all if "_aws" in line]

    @property
    def _all(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def told(ports: Ports, capsys: pytest.CaptureFixture[str]) -> Callable[[], Told]:
    capsys.readouterr()
    return lambda: Told(capsys.readouterr().out)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_no_text_no_query_and_no_user_is_told(kind: Kind, told: Callable[[], Told]) -> None:
    called(kind, "store_memory", {"content": SECRET_TEXT})
    called(kind, "search_memory", {"query": SECRET_TEXT})
    called(kind, SECRET_TEXT, {"query": SECRET_TEXT}, "search")
    called(kind, "search_memory", {"query": "tea", SECRET_TEXT: 1, "category": SECRET_TEXT})
    written = told()
    assert "Zanzibar" not in written.text
    assert '"ana"' not in written.text
    assert "|ana" not in written.text
    assert [line["message"] for line in written.lines] == ["call"] * 4
    assert [line["tool"] for line in written.lines] == ["store_memory", "search_memory", "unknown", "search_memory"]
    assert [line.get("code") for line in written.lines][:2] == [None, None]


def test_a_line_knows_the_ids_of_both_sides(told: Callable[[], Told]) -> None:
    handler("search")(http("/tools/search_memory", {"query": "tea"}), Context())
    handler("search")({"tool": "search_memory"}, Context())
    first, second = told().lines
    assert first["correlation_id"] == "JKJaXmPLvHcESHA="
    assert first["request_id"] == second["correlation_id"] == Context().aws_request_id
    assert (first["function"], first["tool"], first["way"], first["status"]) == ("search", "search_memory", "http", 200)
    assert first["ms"] > 0


def test_metrics_count_calls_by_tool(told: Callable[[], Told]) -> None:
    handler("normalize")(http("/tools/memory_normalize", {"text": "I sing."}), Context())
    handler("normalize")(http("/tools/memory_normalize", {"text": ""}), Context())
    good, bad = told().metrics
    assert good["_aws"]["CloudWatchMetrics"][0]["Namespace"] == "Commonplace"
    assert sorted(good["_aws"]["CloudWatchMetrics"][0]["Dimensions"][0]) == ["service", "tool"]
    assert (good["service"], good["tool"]) == ("normalize", "memory_normalize")
    assert (good["Calls"], good["Refused"], good["Failed"], good["ByRules"]) == ([1], [0], [0], [1])
    assert good["Latency"][0] > 0
    assert (bad["Calls"], bad["Refused"], bad["Failed"], bad["LoggedErrors"]) == ([1], [1], [0], [0])


def test_an_unknown_failure_is_told_by_its_places_only(told: Callable[[], Told], monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Ports:
        raise RuntimeError(SECRET_TEXT)

    monkeypatch.setattr(container, "ports", broken)
    response = handler("search")(http("/tools/search_memory", {"query": "tea"}), Context())
    incident = json.loads(response["body"])["error"]["message"].split("quote ")[1].split()[0]
    written = told()
    failure, call = written.lines
    assert incident in failure["message"]
    assert "RuntimeError at " in failure["message"]
    assert "test_invocation_observe:" in failure["message"]
    assert failure["correlation_id"] == call["correlation_id"]
    assert (call["status"], call["code"]) == (500, "internal")
    assert (written.metrics[0]["Failed"], written.metrics[0]["LoggedErrors"]) == ([1], [1])
    assert "Zanzibar" not in written.text


def test_no_library_tells_what_was_said_however_much_is_logged(ports: Ports, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where `LogLevel` is DEBUG Lambda puts it on the root logger, and the clients would log whole requests."""
    root = logging.getLogger()
    monkeypatch.setattr(root, "level", root.level)  # put back at the end
    root.setLevel(logging.DEBUG)
    handler("search")(http("/tools/search_memory", {"query": "tea"}), Context())
    for library in ("botocore", "opensearch", "urllib3", "anthropic", "httpx"):
        assert not logging.getLogger(library).isEnabledFor(logging.DEBUG), library


_TRACED = """
import json, sys
from pathlib import Path
from commonplace.bootstrap.local import open_local
from commonplace.interfaces.aws import container
from commonplace.settings import Settings
local = open_local(Settings(db=Path(sys.argv[1])))
container.ports = lambda: local.ports
from functions.search.app import handler
from tests.integration.lambda_calls import Context, http
assert "aws_xray_sdk" not in sys.modules
for _ in range(2):
    assert handler(http("/tools/search_memory", {"query": sys.argv[2]}), Context())["statusCode"] == 200
print(json.dumps("aws_xray_sdk" in sys.modules))
"""


def traced(path: Path, sampled: bool, daemon: str = "127.0.0.1:9") -> bool:
    """Two searches in a process of their own, as Lambda's environment tells of them; whether the SDK was needed."""
    environment = {
        "LAMBDA_TASK_ROOT": "/var/task",
        "AWS_LAMBDA_FUNCTION_NAME": "search",
        "AWS_XRAY_DAEMON_ADDRESS": daemon,
        "_X_AMZN_TRACE_ID": f"Root=1-5759e988-bd862e3fe1be46a994272793;Parent=53995c3f42cd8ad8;Sampled={int(sampled)}",
    }
    command = [sys.executable, "-c", _TRACED, str(path), SECRET_TEXT]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Zanzibar" not in run.stdout + run.stderr
    return bool(json.loads(run.stdout.splitlines()[-1]))


def test_where_xray_follows_the_call_is_a_segment_without_texts(tmp_path: Path) -> None:
    """A daemon listens here, as in Lambda; the SDK sends it each segment as a datagram."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as daemon:
        daemon.bind(("127.0.0.1", 0))
        daemon.settimeout(20)
        assert traced(tmp_path / "memory.db", True, f"127.0.0.1:{daemon.getsockname()[1]}")
        segment = json.loads(daemon.recv(65_535).decode().split("\n", 1)[1])
    assert segment["annotations"] == {"tool": "search_memory", "way": "http", "status": 200}
    assert "Zanzibar" not in json.dumps(segment)


def test_without_a_daemon_and_without_a_trace_calls_work(tmp_path: Path) -> None:
    assert traced(tmp_path / "memory.db", True)
    assert not traced(tmp_path / "memory.db", False)


_LOGGED = """
import json, logging
logging.getLogger().setLevel(logging.INFO)
from functions.normalize.app import handler
from tests.integration.lambda_calls import Context, http
assert handler(http("/tools/memory_normalize", {"text": "I sing."}), Context())["statusCode"] == 200
print(json.dumps(logging.getLogger("opensearch").isEnabledFor(logging.INFO)))
"""


@pytest.mark.parametrize(("level", "lines"), [("INFO", 1), ("WARN", 0)])
def test_lines_are_left_out_by_the_chosen_level_and_metrics_never(level: str, lines: int) -> None:
    """Lambda's own level is INFO then, so that metrics pass: Powertools would take it for the lines as well."""
    environment = {"POWERTOOLS_LOG_LEVEL": level, "AWS_LAMBDA_LOG_LEVEL": "INFO", "AWS_LAMBDA_LOG_FORMAT": "JSON"}
    command = [sys.executable, "-W", "error::UserWarning", "-c", _LOGGED]
    run = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    text, _, library = run.stdout.strip().rpartition("\n")
    written = Told(text)
    assert ([line["message"] for line in written.lines], len(written.metrics)) == (["call"] * lines, 1)
    assert json.loads(library) is (lines > 0)
