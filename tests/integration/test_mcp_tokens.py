"""`/mcp` of a server with tokens, through the SDK's own client: each agent has the memories of its token."""

from collections.abc import Awaitable, Callable, Iterator
from typing import Any

import anyio
import mcp
import pytest
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from tests.integration.mcp_client import ERAS, Era, found, stored
from tests.integration.test_mcp_http import LISTED, TAKES
from tests.integration.test_server_tokens import ANA, BEN, Home, at_home, challenge

pytestmark = pytest.mark.integration


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Home]:
    yield from at_home(tmp_path_factory.mktemp("home"), "--allow-host", "nas.lan")


async def talking(home: Home, token: str, talk: Callable[[mcp.Client], Awaitable[Any]], era: Era = "auto") -> Any:
    """What a talk gives that brings a token along."""
    url = f"http://127.0.0.1:{home.server.port}/mcp"
    async with (
        create_mcp_http_client(headers={"Authorization": f"Bearer {token}"}) as http,
        mcp.Client(streamable_http_client(url, http_client=http), mode=era) as client,
    ):
        return await talk(client)


@pytest.mark.parametrize("era", ERAS)
def test_two_agents_at_once_each_with_their_own(home: Home, era: Era) -> None:
    async def talk(client: mcp.Client, own: str, foreign: str) -> None:
        ids = [await stored(client, own) for _ in range(3)]
        for _ in range(5):
            assert await found(client, "is anybody allergic?") == [own]
            one = (await client.read_resource(f"memory://{ids[0]}")).contents[0].text  # type: ignore[union-attr]
            page = (await client.read_resource("memory://pages/MEMORY.md")).contents[0].text  # type: ignore[union-attr]
            assert own in one
            assert own in page
            assert foreign not in page

    async def whole() -> None:
        with anyio.fail_after(60):
            async with anyio.create_task_group() as group:
                for _ in range(2):
                    group.start_soon(talking, home, home.ana, lambda client: talk(client, ANA, BEN), era)
                    group.start_soon(talking, home, home.ben, lambda client: talk(client, BEN, ANA), era)

    anyio.run(whole)


def test_a_memory_of_another_is_at_no_address(home: Home) -> None:
    memory_id = home.call(home.ana, "store_memory", content="I play the cello.")["memory_id"]

    async def talk(client: mcp.Client) -> None:
        with pytest.raises(mcp.MCPError):
            await client.read_resource(f"memory://{memory_id}")
        assert (await client.call_tool("delete_memory", {"memory_id": memory_id})).is_error

    anyio.run(talking, home, home.ben, talk)
    assert home.ask(home.ana, "GET", f"/memories/{memory_id}").status == 200


def test_no_token_gets_no_protocol(home: Home) -> None:
    for given in ({}, {"Authorization": "Bearer cpl_x"}, {"mcp-session-id": "x"}):
        answer = home.server.ask("POST", "/mcp", LISTED, **{**TAKES, **given})
        assert (answer.status, answer.code) == (401, "unauthorized")
        assert str(challenge(answer)).startswith("Bearer")

    async def talk(client: mcp.Client) -> None:
        await client.list_tools()

    with pytest.raises(ExceptionGroup):
        anyio.run(talking, home, "cpl_x", talk)


def test_a_name_that_was_allowed_is_answered_here_too(home: Home) -> None:
    named = {**TAKES, "Host": "nas.lan"}
    assert home.ask(home.ana, "POST", "/mcp", LISTED, **named).status == 200
    assert home.ask(home.ana, "POST", "/mcp", LISTED, **{**named, "Host": "evil.example"}).status == 403
    assert home.ask(home.ana, "POST", "/mcp", LISTED, **named, Origin="https://evil.example").status == 403
    got = home.ask(home.ana, "GET", "/mcp", None, **named)
    assert (got.status, got.headers["Allow"]) == (405, "POST")


def test_its_requests_are_logged_and_counted(tmp_path_factory: pytest.TempPathFactory) -> None:
    for home in at_home(tmp_path_factory.mktemp("counted"), "--per-minute", "3"):
        statuses = [home.ask(home.ana, "POST", "/mcp", LISTED, **TAKES).status for _ in range(4)]
        statuses.append(home.server.ask("POST", "/mcp", LISTED, **TAKES).status)
        assert statuses == [200, 200, 200, 429, 401]
        told = [(line["token"], line["method"], line["route"], line["status"]) for line in home.lines()]
        names = ["ana-laptop"] * 4 + [None]
        assert told == [(name, "POST", "/mcp", status) for name, status in zip(names, statuses, strict=True)]
