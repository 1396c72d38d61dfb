"""`commonplace mcp` as an agent sees its tools, through the SDK's own client."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import anyio
import mcp
import mcp_types as types
import pytest

from commonplace.contract.manifest import ShownTier
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.mcp import tiers
from commonplace.interfaces.mcp.tiers import Tools
from tests.integration.command_line import run
from tests.integration.mcp_client import ERAS, Era, error_of, found, heard, in_process, parameters, spoken, stored

pytestmark = pytest.mark.integration

MIA = "My daughter Mia is allergic to peanuts."
SHOWN = {
    None: {
        "store_memory", "search_memory", "discover_memory_tools", "get_memory_context", "update_memory", "delete_memory",
    },
    "primary": {tool.name for tool in TOOLS if tool.tier == "primary"},
    "core": {tool.name for tool in TOOLS if tool.tier != "advanced"},
    "all": {tool.name for tool in TOOLS},
}  # fmt: skip
HOSTILE: list[tuple[str, Any, str]] = [
    ("search_memory", {"query": "x", "limit": 0}, "limit"),
    ("search_memory", {"query": "a" * 9_000}, "query"),
    ("search_memory", {"query": ["x"]}, "query"),
    ("search_memory", {"query": "x", "limit": 10**400}, "limit"),
    ("search_memory", {"query": "x", "user_id": "local|somebody"}, "user_id"),
    ("search_memory", {"query": "x", "options": {"time_range": {"after": "never"}}}, "options.time_range.after"),
    ("search_memory", None, "query"),
    ("store_memory", {"content": "   "}, "content"),
    ("store_memory", {"content": "x", "\u202econtent": "y"}, "\\u202econtent"),
    ("store_memory", {"content": json.loads("[" * 80 + "]" * 80)}, "content"),
    ("get_memory", {"memory_id": "../../etc/passwd"}, "memory_id"),
    ("import_memories", {"data": "x", "upload_id": "x"}, "data"),
    ("backup_restore", {"action": "restore", "backup_id": "' or 1=1"}, "backup_id"),
]


@pytest.mark.parametrize("era", ERAS)
@pytest.mark.parametrize("tier", SHOWN)
def test_a_tier_lists_its_tools(tier: ShownTier | None, era: Era, tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        before = (await client.list_tools()).tools
        for looked_up in ({}, {"group": "analysis"}, {"tool": "search_memory"}):  # a look adds nothing
            await client.call_tool("discover_memory_tools", looked_up)
        assert (await client.list_tools(cache_mode="bypass")).tools == before
        assert {tool.name for tool in before} == SHOWN[tier]
        for tool in before:
            assert tool.title
            assert tool.description
            assert tool.input_schema["type"] == "object"
            assert tool.output_schema is not None
        hints = {tool.name: tool.annotations for tool in before if tool.annotations}
        assert set(hints) == SHOWN[tier]
        assert hints["search_memory"].read_only_hint
        assert not hints["store_memory"].read_only_hint
        assert hints["discover_memory_tools"].read_only_hint
        if "delete_memory" in hints:
            assert hints["delete_memory"].destructive_hint

    spoken(in_process(tmp_path / "memory.db", tier), talk, era)


def test_the_option_chooses_the_tier(tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> set[str]:
        return {tool.name for tool in (await client.list_tools()).tools}

    assert spoken(parameters(tmp_path / "memory.db", "--tier", "core"), talk) == SHOWN["core"]


@pytest.mark.parametrize("era", ERAS)
def test_what_is_stored_is_found_and_every_tool_can_be_called(era: Era, tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        await stored(client, MIA)
        assert await found(client, "is anybody allergic?") == [MIA]
        counted = await client.call_tool("memory_stats", {})  # not listed
        assert counted.structured_content["total"] == 1
        assert json.loads(counted.content[0].text) == counted.structured_content  # type: ignore[union-attr]

    spoken(parameters(tmp_path / "memory.db"), talk, era)


def test_every_example_of_every_tool_is_answered_as_its_schemas_say(tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        listed = {tool.name for tool in (await client.list_tools()).tools}  # the client then checks what comes back
        for tool in TOOLS:
            assert tool.name in listed
            for example in tool.examples:
                answer = await client.call_tool(tool.name, example)
                if answer.is_error:  # of a memory, say, that is not in this file
                    assert error_of(answer)["code"] in {"not_found", "key_not_found", "invalid_argument", "conflict"}

    spoken(parameters(tmp_path / "memory.db", "--tier", "all"), talk)


def test_hostile_arguments_are_refused_by_field_and_the_server_goes_on(tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        for name, arguments, field in HOSTILE:
            error = error_of(await client.call_tool(name, arguments))
            assert error["field"] == field, error
            assert error["code"] != "internal"
        with pytest.raises(mcp.MCPError, match="there is no tool of this name") as unknown:
            await client.call_tool("forget_everything", {})
        assert unknown.value.code == -32602
        await stored(client, MIA)

    spoken(parameters(tmp_path / "memory.db"), talk)


def test_arguments_are_read_as_clients_send_them(tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        kept = await client.call_tool("store_memory", {"content": "5", "context": '{"force_importance": "4"}'})
        assert kept.structured_content["analysis"]["importance_score"] == 4
        listed = await client.call_tool("list_memories", {"limit": 10.0, "category": "", "options": None})
        assert [memory["value"] for memory in listed.structured_content["memories"]] == ["5"]
        error = error_of(await client.call_tool("store_memory", {"content": "x", "context": "often"}))
        assert (error["field"], error["message"]) == ("context", "context: must be an object")

    spoken(in_process(tmp_path / "memory.db"), talk)


def test_a_model_plans_what_people_apply(tmp_path: Path) -> None:
    run("store", MIA, "--db", str(tmp_path / "one.db"), home=tmp_path)
    lines = run("export", "--db", str(tmp_path / "one.db"), home=tmp_path).out

    async def talk(client: mcp.Client) -> None:
        exported = (await client.call_tool("export_memories", {})).structured_content
        assert (exported["status"], "export_id" in exported) == ("needs_review", False)
        assert "commonplace export" in exported["notes"]["warnings"][0]
        imported = await client.call_tool("import_memories", {"data": lines, "dry_run": False})
        assert "commonplace import" in imported.structured_content["notes"]["warnings"][0]
        assert await found(client, "is anybody allergic?") == []

    spoken(in_process(tmp_path / "memory.db"), talk)


def test_a_long_call_tells_how_far_it_is(tmp_path: Path) -> None:
    slow = (
        "import time\nfrom commonplace.client.memory import Commonplace\n"
        "def call(self, tool, arguments, progress, admin):\n"
        "    for done in (1, 2, 2, 1, 3):\n        time.sleep(.15)\n        progress(done, 3)\n"
        "    return {'results': [], 'admin': admin}\n"
        "Commonplace.call = call"
    )

    async def talk(client: mcp.Client) -> tuple[list[tuple[float, float | None]], Any]:
        told = []

        async def listen(progress: float, total: float | None, message: str | None) -> None:
            told.append((progress, total))

        answer = await client.call_tool("repair_index", {}, progress_callback=listen)
        await anyio.sleep(0.1)
        return told, answer.structured_content

    told, answer = spoken(parameters(tmp_path / "memory.db", code=slow), talk)
    assert told == [(1, 3), (2, 3), (3, 3)]
    assert answer == {"results": [], "admin": False}


def test_a_file_that_is_no_memory_is_told_at_each_call_and_hurts_no_list(tmp_path: Path) -> None:
    (tmp_path / "memory.db").write_text("a diary, and no database", "utf-8")

    async def talk(client: mcp.Client) -> None:
        assert (await client.list_tools()).tools
        for _ in range(2):
            assert error_of(await client.call_tool("search_memory", {"query": "x"}))["code"] == "storage_unavailable"

    spoken(in_process(tmp_path / "memory.db"), talk)


async def changes_when_discovered(client: mcp.Client, seen: list[Any], tool: str, era: Era) -> None:
    """A tool that is discovered joins the list, the client is told of it, and the tool answers."""
    before = [one.name for one in (await client.list_tools()).tools]
    assert tool not in before
    assert client.server_capabilities.tools is not None
    assert client.server_capabilities.tools.list_changed
    if era == "legacy":
        answer = await client.call_tool("discover_memory_tools", {"tool": tool})
        await anyio.wait_all_tasks_blocked()
        assert [one.method for one in seen] == ["notifications/tools/list_changed"]
    else:
        async with client.listen(tools_list_changed=True) as changes:
            answer = await client.call_tool("discover_memory_tools", {"tool": tool})
            assert type(await anext(aiter(changes))).__name__ == "ToolsListChanged"
    told = answer.structured_content["tool_list"]
    assert f"{tool} is in your list of tools now" in told
    assert "`--tier core`" in told
    after = [one.name for one in (await client.list_tools(cache_mode="bypass")).tools]
    assert set(after) == {*before, tool}
    called = await client.call_tool(tool, {})
    assert not called.is_error
    again = await client.call_tool("discover_memory_tools", {"tool": tool})
    assert f"{tool} is in your list of tools;" in again.structured_content["tool_list"]


@pytest.mark.parametrize("era", ERAS)
def test_a_discovered_tool_joins_the_list_and_the_client_is_told(era: Era, tmp_path: Path) -> None:
    async def talk(client: mcp.Client, seen: list[Any]) -> None:
        names = (await client.call_tool("discover_memory_tools", {})).structured_content["tool_list"]
        assert "list_memories" in names
        await changes_when_discovered(client, seen, "list_memories", era)

    heard(parameters(tmp_path / "memory.db"), talk, era)


class Discovering:
    """A memory that knows only `discover_memory_tools`."""

    def call(self, tool: str, arguments: Any, progress: Any = None) -> dict[str, Any]:  # noqa: ARG002
        return {"tool_schema": {"name": arguments["tool"]}} if tool == "discover_memory_tools" else {}

    def page(self, name: str) -> None: ...


def test_over_http_an_added_tool_leaves_the_list_an_hour_after_its_last_use(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = [0.0]
    monkeypatch.setattr(tiers, "time", SimpleNamespace(monotonic=lambda: clock[0]))
    other = Discovering()

    def context(memory: Any = None, over_http: bool = True) -> Any:
        request = SimpleNamespace(scope={} if memory is None else {"commonplace.opened": memory})
        return SimpleNamespace(request=request if over_http else None, protocol_version="2026-07-28")

    async def called(tools: Tools, name: str, **arguments: str) -> None:
        await tools.call(None, context(), types.CallToolRequestParams(name=name, arguments=arguments))

    def has(tools: Tools, asked: Any) -> bool:
        return "history" in {tool.name for tool in tools.shown(None, asked)}

    tools = Tools(Discovering(), keeps_lists=True)
    anyio.run(lambda: called(tools, "discover_memory_tools", tool="history"))
    clock[0] = 3_000.0
    assert (has(tools, context()), has(tools, context(other))) == (True, False)  # another user's list is theirs
    anyio.run(lambda: called(tools, "history", key="x"))
    clock[0] = 6_500.0
    assert has(tools, context())
    clock[0] = 6_601.0
    assert (has(tools, context()), has(tools, context(over_http=False))) == (False, True)
