"""What a process pays for: nothing of what it doesn't use."""

import functools
import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.integration.command_line import stored

pytestmark = pytest.mark.integration

_LOADED = """
import json, sys
from importlib import import_module
for name in sys.argv[1:]:
    import_module(name)
print(json.dumps(sorted(sys.modules)))
"""


_RUN = """
import atexit, json, sys
atexit.register(lambda: print(json.dumps(sorted(sys.modules)), file=sys.stderr))
from commonplace.interfaces.cli import main
main(sys.argv[1:])
"""
SERVERS = {"mcp", "starlette", "uvicorn"}
WAYS_IN = {"anthropic", "boto3", "opensearchpy", "rich", *SERVERS}
STORES = {f"commonplace.text.{room}" for room in ("third_person", "classifier", "paraphrase")} | {"lemminflect"}
NIGHTS = {"commonplace.extraction.rules", "commonplace.nightly.readers", "commonplace.nightly.steps"}
ASKS = {"numpy", "snowballstemmer", "commonplace.text.redaction"}
COMMANDS = {
    ("store", "I moved to Leeds."): WAYS_IN | NIGHTS,
    ("search", "where do I live"): WAYS_IN | NIGHTS | STORES,
    ("export",): WAYS_IN | NIGHTS | STORES | ASKS,
    ("runs", "list"): WAYS_IN | NIGHTS | STORES | ASKS,
}


@functools.cache
def loaded(*names: str) -> frozenset[str]:
    run = subprocess.run([sys.executable, "-c", _LOADED, *names], check=True, capture_output=True, text=True)
    return frozenset(json.loads(run.stdout))


def test_importing_the_package_loads_next_to_nothing() -> None:
    assert not loaded("commonplace") & {"numpy", "pydantic", "sqlite3", "anthropic", *SERVERS}


@pytest.mark.parametrize("use_case", [f"commonplace.use_cases.{name}" for name in ("search", "store", "normalize")])
def test_a_use_case_loads_no_way_in_and_no_infrastructure(use_case: str) -> None:
    heavy = {"anthropic", "click", "rich", "sqlite3", "lemminflect", *SERVERS}
    assert not loaded(use_case) & heavy


def test_no_search_loads_what_stores() -> None:
    modules = loaded("commonplace.use_cases.search", "commonplace.use_cases.dispatch")
    assert not modules & {"commonplace.text.third_person", "commonplace.text.classifier", "commonplace.text.paraphrase"}


def test_the_client_loads_no_server_and_no_model() -> None:
    assert not loaded("commonplace.client.memory") & (WAYS_IN | STORES | ASKS | {"click"})


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command[0])
def test_a_command_loads_only_what_it_needs(tmp_path: Path, command: tuple[str, ...]) -> None:
    memory_file = tmp_path / "memory.db"
    stored("I live in Leeds.", memory_file)
    process = [sys.executable, "-c", _RUN, "--db", str(memory_file), *command]
    done = subprocess.run(process, check=True, capture_output=True, text=True)
    assert not set(json.loads(done.stderr)) & COMMANDS[command]


@pytest.mark.parametrize(
    "function", ["normalize", "store", "search", "discover", "write", "read", "summarize", "analysis", "maintenance"]
)
def test_a_function_that_serves_tools_starts_without_what_its_first_call_needs(function: str) -> None:
    heavy = {"boto3", "botocore", "opensearchpy", "aws_lambda_powertools", "aws_xray_sdk", "anthropic", "sqlite3", *SERVERS}
    assert not loaded(f"functions.{function}.app") & heavy


@pytest.mark.parametrize(("function", "use_case"), [("search", "search"), ("read", "context")])
def test_a_function_that_reads_loads_nothing_that_stores(function: str, use_case: str) -> None:
    modules = loaded(f"functions.{function}.app")
    assert not modules & {"commonplace.text.third_person", "commonplace.text.classifier", "commonplace.text.paraphrase"}
    assert {
        f"commonplace.use_cases.{use_case}",
        "commonplace.retrieval.engine",
    } <= modules  # while Lambda starts the container


@pytest.mark.parametrize("function", ["index", "reconcile", "setup", "interceptor"])
def test_a_function_of_the_upkeep_starts_without_clients_and_models(function: str) -> None:
    heavy = {"boto3", "opensearchpy", "aws_xray_sdk", "anthropic", "commonplace.text.classifier", *SERVERS}
    assert not loaded(f"functions.{function}.app") & heavy
