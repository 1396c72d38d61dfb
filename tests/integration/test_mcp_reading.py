"""Resources, prompts and instructions of `commonplace mcp`."""

import json
from pathlib import Path

import mcp
import pytest

from commonplace.client.memory import Commonplace
from tests.integration.mcp_client import ERAS, Era, in_process, parameters, spoken, stored

pytestmark = pytest.mark.integration

MIA = "My daughter Mia is allergic to peanuts."


@pytest.mark.parametrize("era", ERAS)
def test_memories_and_pages_can_be_read_by_their_address(era: Era, tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        memory_id = await stored(client, MIA)
        (listed,) = (await client.list_resources()).resources
        (page,) = (await client.read_resource(listed.uri)).contents
        assert page.mime_type == "text/markdown"
        assert MIA in page.text  # type: ignore[union-attr]
        templates = [one.uri_template for one in (await client.list_resource_templates()).resource_templates]
        assert templates == ["memory://{id}", "memory://pages/memory/{day}.md"]
        (one,) = (await client.read_resource(templates[0].replace("{id}", memory_id))).contents
        assert json.loads(one.text)["value"] == MIA  # type: ignore[union-attr]

    spoken(parameters(tmp_path / "memory.db"), talk, era)


@pytest.mark.parametrize(
    "uri",
    ["memory://mem_01M7Y9WZRKKCZMXKBZPYYE31X7", "memory://", "memory://pages/", "memory://pages/../memory.db",
     "memory://pages/%2e%2e/memory.db", "file:///etc/passwd", "memory:", "x" * 9_000],
)  # fmt: skip
def test_an_address_at_which_nothing_is_is_an_error_of_the_protocol(uri: str, tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        with pytest.raises(mcp.MCPError) as failed:
            await client.read_resource(uri)
        assert failed.value.code == -32602
        await stored(client, MIA)

    spoken(in_process(tmp_path / "memory.db"), talk)


def test_pages_hold_what_this_agent_may_see(tmp_path: Path) -> None:
    with Commonplace(tmp_path / "memory.db", agent_id="coach") as coach:
        coach.memory_store_personal("I run.", "The user runs.", "habit", ["running"], agent_id="coach")
    with Commonplace(tmp_path / "memory.db") as memory:
        memory.store_memory(MIA)

    async def talk(client: mcp.Client) -> None:
        (page,) = (await client.read_resource("memory://pages/MEMORY.md")).contents
        assert MIA in page.text  # type: ignore[union-attr]
        assert "runs" not in page.text  # type: ignore[union-attr]

    spoken(in_process(tmp_path / "memory.db"), talk)


@pytest.mark.parametrize("era", ERAS)
def test_instructions_and_prompts_name_tools_that_are_shown(era: Era, tmp_path: Path) -> None:
    async def talk(client: mcp.Client) -> None:
        assert client.instructions is not None
        assert {"search_memory", "store_memory"} <= set(client.instructions.replace("(", " ").replace(")", " ").split())
        prompts = (await client.list_prompts()).prompts
        assert [one.title for one in prompts] == ["What do you know about me?", "Remember this conversation"]
        for one in prompts:
            (said,) = (await client.get_prompt(one.name)).messages
            assert "_memory" in said.content.text  # type: ignore[union-attr]
        (said,) = (await client.get_prompt(prompts[0].name, {"topic": "the {garden}"})).messages
        assert "the {garden}" in said.content.text  # type: ignore[union-attr]
        for name, arguments in (("forget_me", {}), (prompts[1].name, {"topic": "x"})):
            with pytest.raises(mcp.MCPError, match="no such prompt"):
                await client.get_prompt(name, arguments)

    spoken(in_process(tmp_path / "memory.db"), talk, era)
