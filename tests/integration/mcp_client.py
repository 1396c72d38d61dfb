"""`commonplace mcp` in a process of its own or in this one, and the SDK's own client to speak to it."""

import json
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, closing
from pathlib import Path
from typing import Any, Literal

import anyio
import httpx2
import mcp
from mcp.client import Transport
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.memory import create_client_server_memory_streams
from mcp_types import CallToolResult

from commonplace import Commonplace
from commonplace.contract.manifest import ShownTier
from commonplace.interfaces.mcp.opened import OpenedLater
from commonplace.interfaces.mcp.server import server_over
from tests.integration.command_line import COMMAND, clean

Era = Literal["auto", "legacy"]
Started = mcp.StdioServerParameters | Transport | str
ERAS: tuple[Era, ...] = ("auto", "legacy")


def parameters(memory_file: Path, *options: str, code: str | None = None) -> mcp.StdioServerParameters:
    """How a client starts the server over a file; `code` runs before it."""
    environment = clean(memory_file.parent, {"COMMONPLACE_DB": str(memory_file)})
    if code is None:
        return mcp.StdioServerParameters(command=COMMAND, args=["mcp", *options], env=environment)
    whole = f"{code}\nfrom commonplace.interfaces.cli import main\nmain(['mcp', *{list(options)!r}])"
    return mcp.StdioServerParameters(command=sys.executable, args=["-c", whole], env=environment)


@asynccontextmanager
async def in_process(memory_file: Path, tier: ShownTier | None = None) -> AsyncIterator[Any]:
    """The server of `commonplace mcp` over a file, in this process: it gets and sends the same messages, only not as bytes."""
    memory = OpenedLater(lambda: Commonplace(memory_file))
    server = server_over(memory, tier)
    with closing(memory):
        async with create_client_server_memory_streams() as ((read, write), streams), anyio.create_task_group() as group:
            group.start_soon(server.run, *streams, server.create_initialization_options())
            yield read, write
            await write.aclose()
            await read.aclose()


def spoken(started: Started, talk: Callable[[mcp.Client], Awaitable[Any]], era: Era = "auto") -> Any:
    """What a talk with a server gives."""

    async def whole() -> Any:
        with anyio.fail_after(60):
            async with mcp.Client(started, mode=era) as client:
                return await talk(client)

    return anyio.run(whole)


def heard(started: Started, talk: Callable[[mcp.Client, list[Any]], Awaitable[Any]], era: Era = "auto") -> Any:
    """The same, and the talk is given what the server sends unasked."""
    seen: list[Any] = []

    async def hear(message: Any) -> None:
        seen.append(message)

    async def whole() -> Any:
        with anyio.fail_after(60):
            async with mcp.Client(started, mode=era, message_handler=hear) as client:
                return await talk(client, seen)

    return anyio.run(whole)


def spoken_by(auth: httpx2.Auth | str, address: str, talk: Callable[[mcp.Client], Awaitable[Any]], era: Era = "auto") -> Any:
    """What a talk with a server that wants a token gives; `auth`: the token, or the client's way to one."""

    async def whole() -> Any:
        async with httpx2.AsyncClient(timeout=60) as http:
            if isinstance(auth, str):
                http.headers["Authorization"] = f"Bearer {auth}"
            else:
                http.auth = auth
            with anyio.fail_after(60):
                async with mcp.Client(streamable_http_client(address, http_client=http), mode=era) as client:
                    return await talk(client)

    return anyio.run(whole)


async def stored(client: mcp.Client, content: str) -> str:
    """The id of what was stored."""
    answer = await client.call_tool("store_memory", {"content": content})
    assert not answer.is_error, answer
    memory_id: str = answer.structured_content["memory_id"]
    return memory_id


async def found(client: mcp.Client, query: str) -> list[str]:
    """The memories of a search."""
    answer = await client.call_tool("search_memory", {"query": query})
    assert not answer.is_error, answer
    return [hit["content"] for hit in answer.structured_content["results"]]


def error_of(answer: CallToolResult) -> Mapping[str, Any]:
    """What an answer that is an error says, after a look at its shape."""
    assert answer.is_error
    assert answer.structured_content is None
    (block,) = answer.content
    body = json.loads(block.text)  # type: ignore[union-attr]
    assert set(body) == {"error"}
    assert set(body["error"]) == {"code", "message", "field", "retryable"}
    error: Mapping[str, Any] = body["error"]
    return error
