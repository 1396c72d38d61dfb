import json
import re
from typing import Any, get_args

import mcp_types as types
import pytest

from commonplace.contract.manifest import ShownTier, shown_rows, without_mentions
from commonplace.contract.registry import TOOLS
from commonplace.interfaces.mcp import prompts
from commonplace.interfaces.mcp.tiers import shown_tools

MOST_TOKENS = 2_000
DEFAULT = {"search_memory", "store_memory", "get_memory_context", "update_memory", "delete_memory", "discover_memory_tools"}
TIERS: list[ShownTier | None] = [None, *get_args(ShownTier)]


def test_what_is_shown_without_a_tier_costs_little() -> None:
    """By the usual rule of four characters to a token; what comes back is not handed to a model."""
    read = [{"name": one.name, "description": one.description, "input_schema": one.input_schema} for one in shown_tools(None)]
    assert {one["name"] for one in read} == DEFAULT
    assert len(json.dumps(read, ensure_ascii=False, separators=(",", ":"))) / 4 <= MOST_TOKENS


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_a_tool_is_shown_as_its_row_says(tool: object) -> None:
    row = next(one for one in TOOLS if one is tool)
    (shown,) = [one for one in shown_tools("all") if one.name == row.name]
    assert (shown.title, shown.description) == (row.title, row.description)
    assert shown.annotations is not None
    assert shown.annotations.read_only_hint == row.hints.read_only
    assert shown.annotations.destructive_hint == row.hints.destructive
    assert shown.annotations.idempotent_hint == row.hints.idempotent
    assert set(shown.input_schema["properties"]) == set(row.request.model_fields)


def test_each_tier_holds_the_one_before() -> None:
    primary, core, everything = ([one.name for one in shown_tools(tier)] for tier in ("primary", "core", "all"))
    assert set(primary) < set(core) < set(everything) == {tool.name for tool in TOOLS}
    assert set(primary) < DEFAULT < set(core)


def descriptions(node: Any) -> list[str]:
    if isinstance(node, list):
        return [text for one in node for text in descriptions(one)]
    if not isinstance(node, dict):
        return []
    own = [node["description"]] if isinstance(node.get("description"), str) else []
    return own + [text for part in node.values() for text in descriptions(part)]


def mentioned(text: str) -> set[str]:
    """The tools that a text names; `history` is a word, too, and a tool only in backticks."""
    return {one.name for one in TOOLS if re.search(rf"\b{one.name}\b" if one.name != "history" else "`history`", text)}


@pytest.mark.parametrize("added", [None, *(tool.name for tool in TOOLS)])
@pytest.mark.parametrize("tier", TIERS)
def test_a_list_describes_no_tool_that_is_not_in_it_and_no_field_that_stays_empty(tier: Any, added: str | None) -> None:
    rows = shown_rows(tier, [] if added is None else [added])
    names = {str(row["name"]) for row in rows}
    assert added is None or added in names
    for row in rows:
        text = str(row["description"])
        assert text.endswith(".")
        assert text[0].isupper()
        for said in (text, *descriptions(row["input_schema"]), *descriptions(row["output_schema"])):
            assert mentioned(said) <= names, said
            assert "answerable" not in said  # null for memories that are no conversation


@pytest.mark.parametrize("tier", TIERS)
def test_instructions_and_prompts_name_only_what_is_listed(tier: Any) -> None:
    names = [str(row["name"]) for row in shown_rows(tier)]
    assert mentioned(prompts.INSTRUCTIONS) <= set(names)
    assert "answerable" not in prompts.INSTRUCTIONS
    for one in prompts.LISTED.prompts:
        for topic in ({}, {"topic": "tea"}):
            if one.arguments or not topic:
                asked = types.GetPromptRequestParams(name=one.name, arguments=topic)
                (said,) = prompts.prompt(asked, names).messages
                assert isinstance(said.content, types.TextContent)
                assert mentioned(said.content.text) <= set(names)
                assert mentioned(said.content.text)


def test_only_the_clause_that_mentions_goes() -> None:
    said = "Shows a thing. Of a closed one it names the next; old_tool shows what it was. Use old_tool; it is quick."
    hidden = re.compile(r"\bold_tool\b")
    assert without_mentions(said, hidden) == "Shows a thing. Of a closed one it names the next. It is quick."
    assert without_mentions("old_tool shows it", hidden) == ""
    assert without_mentions("0-1; less is left out. By default 0.3.", hidden) == "0-1; less is left out. By default 0.3."
