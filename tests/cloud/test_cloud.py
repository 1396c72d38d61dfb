"""`make cloud` as its reader runs it: the curls that it prints, on real servers, from an empty cache of keys."""

import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from typing import Any

import mcp
import pytest

from cloud.queue import QueueSource
from cloud.schedule import by_schedule
from cloud.template import Template
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.aws.http_api import MCP_ROUTES, OPEN, ROUTES
from tests.integration.mcp_client import found, spoken_by, stored

NAME = f"cloud-{uuid.uuid4().hex}"

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def told(opensearch_url: str, dynamodb_url: str) -> Iterator[str]:
    """What the command says; it has the session's servers, and a table and an index of its own."""
    servers = {"OPENSEARCH_URL": opensearch_url, "DYNAMODB_URL": dynamodb_url}
    environment = os.environ | servers | {"COMMONPLACE_TABLE": NAME, "COMMONPLACE_INDEX_ALIAS": NAME}
    command = [sys.executable, "-m", "cloud", "--port", "0"]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = ""
        while "Ctrl-C" not in lines:
            line = process.stdout.readline()
            assert line, lines
            lines += line
        yield lines
        process.send_signal(signal.SIGINT)
        rest, _ = process.communicate(timeout=60)
        assert rest.strip() == "stopped"
        assert process.returncode == 0


def commands(told: str) -> tuple[str, list[str]]:
    """The line with the token, and the three curls."""
    lines = told.replace("\\\n", "").splitlines()
    return next(line for line in lines if line.startswith("export TOKEN=")), [
        line for line in lines if line.startswith("curl")
    ]


def shell(*lines: str) -> Any:
    done = subprocess.run(["/bin/sh", "-c", "\n".join(lines)], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def test_the_three_curls_work_as_they_are_printed(told: str) -> None:
    token, (store, search, manifest) = commands(told)
    stored = shell(token, store)
    found = shell(token, search)  # the very next search
    assert stored["memory_id"] in [result["id"] for result in found["results"]]
    assert "notes" not in found
    assert {tool["name"] for tool in shell(token, manifest)["tools"]} == {tool.name for tool in TOOLS}


def test_the_index_follows_soon(told: str, opensearch_url: str) -> None:
    token, (store, _, _) = commands(told)
    stored = shell(token, store.replace("allergic to peanuts", "afraid of spiders"))
    until = time.monotonic() + 15
    document = f"curl -s -G {opensearch_url}/{NAME}/_search --data-urlencode 'q=_id:{stored['memory_id']}'"
    while not shell(document)["hits"]["hits"]:
        assert time.monotonic() < until
        time.sleep(0.2)


def test_another_user_sees_nothing_of_it(told: str) -> None:
    _, (_, search, _) = commands(told)
    token = subprocess.run(
        [sys.executable, "-m", "cloud.tokens", "--user", "ben"], capture_output=True, text=True, check=True
    )
    assert shell(f"TOKEN={token.stdout.strip()}", search)["results"] == []


def test_an_agent_finds_it_by_the_sdk_of_mcp(told: str) -> None:
    token, (store, *_) = commands(told)
    shell(token, store)
    address = store.split()[2].removesuffix("/tools/store_memory")

    async def talk(client: mcp.Client) -> list[str]:
        await stored(client, "I keep bees in the garden.")
        return await found(client, "what is in the garden?") + await found(client, "is anybody allergic?")

    found_there = spoken_by(token.partition("=")[2], f"{address}/mcp", talk)
    assert {"I keep bees in the garden.", "My daughter Mia is allergic to peanuts."} <= set(found_there)


def test_no_token_no_answer(told: str) -> None:
    _, curls = commands(told)
    for curl in curls:
        assert shell("TOKEN=", curl) == {"message": "Unauthorized"}


def test_the_template_routes_every_tool_to_its_function() -> None:
    template = Template()
    expected = {f"{method} {path}": function for (method, path), function in (ROUTES | MCP_ROUTES).items()}
    assert {key: route.function.name for key, route in template.routes.items()} == expected
    assert [key for key, route in template.routes.items() if route.is_open] == [" ".join(route) for route in reversed(OPEN)]
    assert template.queue_sources["night"] == QueueSource(1, 10, True, 900)
    assert template.sources["index"].partial


def test_a_port_that_is_taken_is_said_before_anything_starts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as door:
        command = [sys.executable, "-m", "cloud", "--port", str(door.getsockname()[1])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(r"^port \d+ is in use; take another one with --port$", done.stderr.strip())


def test_a_run_that_fails_does_not_end_the_schedule() -> None:
    third, runs = threading.Event(), []

    def reconcile(event: dict[str, Any], context: Any) -> None:
        runs.append(event)
        if len(runs) == 3:
            third.set()
        raise RuntimeError("the table is gone")

    with by_schedule("reconcile", reconcile, lambda: 0.01):
        assert third.wait(10)
