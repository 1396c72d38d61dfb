"""The process of `commonplace mcp`: what it writes, what it loads, and how it ends, whoever is killed."""

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest

from commonplace.client.memory import Commonplace
from tests.integration.command_line import run_process
from tests.integration.mcp_client import found, parameters, spoken, stored

pytestmark = pytest.mark.integration

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "test", "version": "0"}}
BEGUN: list[dict[str, Any]] = [{"id": 1, "method": "initialize", "params": HELLO}, {"method": "notifications/initialized"}]
LOUD = """
import os
from commonplace.client.memory import Commonplace
def call(self, *_, **__):
    print("printed")
    os.write(1, b"written")
    os.system("echo said by another program")
    return {}
Commonplace.call = call
"""
CLIENT = """
import anyio, json, mcp, os, signal, sys
async def whole():
    async with mcp.Client(mcp.StdioServerParameters(**json.loads(sys.argv[1]))) as client:
        print((await client.call_tool("store_memory", {"content": "I play the cello."})).structured_content["memory_id"])
        sys.stdout.flush()
        os.kill(os.getpid(), signal.SIGKILL)
anyio.run(whole)
"""


def lines(*messages: Any) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)


def call(number: int, name: str, **arguments: Any) -> dict[str, Any]:
    return {"id": number, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def answered(process: "subprocess.Popen[bytes]", number: int) -> Any:
    assert process.stdout is not None
    while True:
        message = json.loads(process.stdout.readline())
        if message.get("id") == number:
            return message


def started(memory_file: Path, code: str | None = None) -> "subprocess.Popen[bytes]":
    how = parameters(memory_file, code=code)
    pipe = subprocess.PIPE
    process = subprocess.Popen([how.command, *how.args], env=how.env, stdin=pipe, stdout=pipe, stderr=pipe)
    assert process.stdin is not None
    process.stdin.write(lines(*BEGUN))
    process.stdin.flush()
    answered(process, 1)
    return process


def test_nothing_but_the_protocol_is_on_stdout_whatever_comes_in(tmp_path: Path) -> None:
    odd = [
        b"no json\n",
        b"[]\n",
        b'{"jsonrpc": "2.0", "id": 2}\n',
        b"\xff\xfe\n",
        b'{"a": "\\ud800"}\n',
        b"[" * 9_000 + b"\n",
    ]
    process = started(tmp_path / "memory.db")
    assert process.stdin is not None
    process.stdin.write(b"".join(odd) + lines(call(7, "store_memory", content="I play the cello.")))
    process.stdin.flush()
    stored_as = answered(process, 7)["result"]["structuredContent"]["memory_id"]
    out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, b"")
    assert b"Traceback" not in err
    with Commonplace(tmp_path / "memory.db") as memory:
        assert memory.get_memory(memory_id=stored_as).memory.value == "I play the cello."


def test_what_code_prints_in_a_call_goes_to_stderr(tmp_path: Path) -> None:
    process = started(tmp_path / "memory.db", LOUD)
    assert process.stdin is not None
    process.stdin.write(lines(call(2, "memory_stats")))
    process.stdin.flush()
    assert answered(process, 2)["result"]["structuredContent"] == {}
    out, err = process.communicate(timeout=60)
    assert out == b""
    assert all(said in err for said in (b"printed", b"written", b"said by another program"))


def test_before_the_first_call_nothing_is_loaded_and_no_file_is_made(tmp_path: Path) -> None:
    heavy = ("numpy", "onnxruntime", "sqlite3", "commonplace.client.memory", "commonplace.bootstrap")
    code = (
        "import sys\nfrom commonplace.interfaces.mcp import tiers\nplain = tiers.shown_tools\n"
        "def shown(*asked):\n    found = plain(*asked)\n"
        f"    print(sorted(set(sys.modules) & {set(heavy)!r}), file=sys.stderr)\n    return found\n"
        "tiers.shown_tools = shown"
    )
    process = started(tmp_path / "memory.db", code)
    assert process.stdin is not None
    process.stdin.write(lines({"id": 2, "method": "tools/list"}, {"id": 3, "method": "resources/list"}))
    process.stdin.flush()
    answered(process, 3)
    assert process.communicate(timeout=60)[1] == b"[]\n"
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_it_though_nobody_closes_stdin(number: int, tmp_path: Path) -> None:
    process = started(tmp_path / "memory.db")
    process.send_signal(number)
    assert process.wait(timeout=60) == 130
    out, err = process.communicate(timeout=60)
    assert (out, err) == (b"", b"commonplace: stopped, everything is saved\n")


def test_a_server_that_is_killed_has_kept_what_it_answered(tmp_path: Path) -> None:
    memory_file, note = tmp_path / "memory.db", tmp_path / "pid"
    noting = f"import os, pathlib\npathlib.Path({str(note)!r}).write_text(str(os.getpid()))"

    async def talk(client: mcp.Client) -> list[str]:
        ids = [await stored(client, f"I have read book number {number}.") for number in range(3)]
        os.kill(int(note.read_text()), signal.SIGKILL)
        with pytest.raises(mcp.MCPError):
            await client.call_tool("store_memory", {"content": "I play the cello."})
        return ids

    ids = spoken(parameters(memory_file, code=noting), talk)

    async def after(client: mcp.Client) -> None:
        for memory_id in ids:
            assert (await client.read_resource(f"memory://{memory_id}")).contents

    spoken(parameters(memory_file), after)


def test_a_server_ends_when_its_client_is_killed(tmp_path: Path) -> None:
    how = parameters(tmp_path / "memory.db").model_dump_json()
    done = subprocess.run(
        [sys.executable, "-c", CLIENT, how], capture_output=True, timeout=60, check=False
    )  # stderr is shared
    assert done.returncode == -signal.SIGKILL
    with Commonplace(tmp_path / "memory.db") as memory:
        assert memory.get_memory(memory_id=done.stdout.decode().strip()).memory.value == "I play the cello."


def test_two_clients_of_one_file_see_what_the_other_stored(tmp_path: Path) -> None:
    async def whole() -> None:
        how = parameters(tmp_path / "memory.db")
        async with mcp.Client(how) as one, mcp.Client(how) as other, anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(stored, one, f"I have read book number {number}.")
                group.start_soon(stored, other, f"I have seen film number {number}.")
        async with mcp.Client(how) as one, mcp.Client(how) as other:
            for client in (one, other):
                listed = await client.call_tool("list_memories", {"limit": 100})
                assert listed.structured_content["count"] == 10
            await stored(one, "My daughter Mia is allergic to peanuts.")
            assert "My daughter Mia is allergic to peanuts." in await found(other, "is anybody allergic?")

    anyio.run(whole)


def test_a_tier_of_no_such_name_is_a_usage_error(tmp_path: Path) -> None:
    assert run_process("mcp", "--tier", "none", home=tmp_path).code == 2
