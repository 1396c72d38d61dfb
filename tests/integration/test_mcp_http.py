"""`/mcp` of `commonplace serve`, through the SDK's own client, beside the routes that are always there."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest

from commonplace import Commonplace
from tests.integration.http_server import Answer, Server, served
from tests.integration.mcp_client import ERAS, Era, error_of, found, heard, spoken, stored
from tests.integration.test_mcp_tools import HOSTILE, SHOWN, changes_when_discovered

pytestmark = pytest.mark.integration

MIA = "My daughter Mia is allergic to peanuts."
LISTED = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
TAKES = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with served(tmp_path_factory.mktemp("server") / "memory.db") as running:
        yield running


def address(server: Server, query: str = "") -> str:
    return f"http://127.0.0.1:{server.port}/mcp{query}"


def post(server: Server, body: Any, **headers: str) -> Answer:
    return server.ask("POST", "/mcp", body, **{**TAKES, **headers})


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tier", SHOWN)
def test_the_address_chooses_what_is_listed(server: Server, tier: str | None, era: Era) -> None:
    async def talk(client: mcp.Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert spoken(address(server, "" if tier is None else f"?tier={tier}"), talk, era) == SHOWN[tier]


@pytest.mark.parametrize("era", ERAS)
def test_a_discovered_tool_joins_the_list_and_the_client_is_told(memory_file: Path, era: Era) -> None:
    async def talk(client: mcp.Client, seen: list[Any]) -> None:
        await changes_when_discovered(client, seen, "list_memories", era)

    with served(memory_file) as own:
        heard(address(own), talk, era)


def test_no_such_tier_is_an_error_of_the_protocol(server: Server) -> None:
    async def talk(client: mcp.Client) -> None:
        with pytest.raises(mcp.MCPError, match="primary, core, all") as refused:
            await client.list_tools()
        assert refused.value.code == -32602

    spoken(address(server, "?tier=best"), talk)


@pytest.mark.parametrize("era", ERAS)
def test_agents_and_programs_share_one_memory(server: Server, era: Era) -> None:
    async def talk(client: mcp.Client) -> None:
        memory_id = await stored(client, MIA)
        assert await found(client, "is anybody allergic?") == [MIA]
        assert MIA in (await client.read_resource(f"memory://{memory_id}")).contents[0].text  # type: ignore[union-attr]
        assert MIA in (await client.read_resource("memory://pages/MEMORY.md")).contents[0].text  # type: ignore[union-attr]
        assert len((await client.list_prompts()).prompts) == 2
        assert client.instructions

    spoken(address(server), talk, era)
    hits = server.call("search_memory", query="is anybody allergic?")["results"]
    assert [hit["content"] for hit in hits] == [MIA]


def test_a_model_plans_what_a_program_may_do(server: Server) -> None:
    async def talk(client: mcp.Client) -> Any:
        return (await client.call_tool("export_memories", {})).structured_content

    assert spoken(address(server), talk)["status"] == "needs_review"
    assert server.call("export_memories")["status"] == "done"


def test_hostile_arguments_are_refused_and_the_server_goes_on(server: Server) -> None:
    async def talk(client: mcp.Client) -> None:
        for name, arguments, field in HOSTILE:
            assert error_of(await client.call_tool(name, arguments))["field"] == field
        with pytest.raises(mcp.MCPError, match="there is no tool of this name"):
            await client.call_tool("forget_everything", {})

    spoken(address(server), talk)
    for body in (b"", b"tea", b"[" * 100_000, b'{"jsonrpc": "2.0"}', b"\xff"):
        assert 400 <= post(server, body).status < 500
    assert server.ask("GET", "/health").status == 200


@pytest.mark.parametrize("version", [{}, {"MCP-Protocol-Version": "2099-01-01"}])
def test_what_the_protocol_never_sees_is_refused_as_on_every_route(server: Server, version: dict[str, str]) -> None:
    whole = [post(server, b" " * 8_000_001, **version), post(server, LISTED, **{"Content-Type": "text/plain"}, **version)]
    parts = server.ask("POST", "/mcp", (b" " * 1_000_000 for _ in range(9)), **TAKES, **version)
    assert [(one.status, one.code) for one in whole] == [(413, "payload_too_large"), (400, "invalid_argument")]
    assert (parts.status, parts.code) == (413, "payload_too_large")
    for answer in (*whole, parts, post(server, b"tea", **version)):
        assert answer.headers["Content-Type"] == "application/json"
    for answer in (*whole, parts, post(server, LISTED, Accept="text/plain", **version)):
        assert (answer.headers["Cache-Control"], answer.headers["X-Content-Type-Options"]) == ("no-store", "nosniff")


@pytest.mark.parametrize(
    "headers",
    [{"Host": "evil.example"}, {"Host": ""}, {"Origin": "https://evil.example"}, {"Origin": "null"},
     {"Sec-Fetch-Site": "cross-site"}],
)  # fmt: skip
def test_who_is_refused_by_the_tools_is_refused_here(server: Server, headers: dict[str, str]) -> None:
    answer = post(server, LISTED, **headers)
    assert (answer.status, answer.code) == (403, "forbidden")


def test_its_own_names_and_origin_are_answered(server: Server) -> None:
    own = {"Host": f"localhost:{server.port}", "Origin": f"http://localhost:{server.port}"}
    assert post(server, LISTED, **own).status == 200


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT"])
def test_there_is_nothing_to_get_or_delete(server: Server, method: str) -> None:
    answer = server.ask(method, "/mcp", None, **TAKES)
    assert (answer.status, answer.code, answer.headers["Allow"]) == (405, "method_not_allowed", "POST")


def test_many_clients_at_once_lose_nothing_and_a_kill_takes_nothing_that_was_answered(memory_file: Path) -> None:
    async def each(url: str, number: int, ids: list[str]) -> None:
        async with mcp.Client(url) as client:
            ids += [await stored(client, f"I have read book {number} of series {part}.") for part in range(2)]

    async def whole(url: str) -> list[str]:
        ids: list[str] = []
        async with anyio.create_task_group() as group:
            for number in range(5):
                group.start_soon(each, url, number, ids)
        return ids

    with served(memory_file) as server:
        ids = anyio.run(whole, address(server))
        os.kill(server.process.pid, signal.SIGKILL)
    with Commonplace(memory_file, user_id="local") as memory:
        assert {record["memory_id"] for record in memory.export()} >= set(ids)
        assert len(set(ids)) == 10


def test_long_work_tells_its_progress_on_the_way(server: Server) -> None:
    async def talk(client: mcp.Client) -> tuple[list[Any], str]:
        told = []

        async def listen(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total))

        ids = [await stored(client, text) for text in ("I like the cello.", "I like green tea.")]
        planned = (await client.call_tool("merge_memories", {"memory_ids": ids})).structured_content
        again = {"run_id": planned["run_id"], "dry_run": False}
        answer = await client.call_tool("merge_memories", again, progress_callback=listen)
        return told, answer.structured_content["status"]

    assert spoken(address(server), talk) == ([(1, 1)], "done")
