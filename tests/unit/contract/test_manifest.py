"""The contract that agents see."""

import json
from pathlib import Path
from typing import Any, get_args

import jsonschema
import pytest

from commonplace.contract.manifest import manifest, manifest_text, rows
from commonplace.contract.registry import TOOLS, Tier, Tool, tool_named
from commonplace.contract.validate import check
from commonplace.domain.errors import ErrorCode
from commonplace.use_cases.dispatch import use_case

COMMITTED = Path(__file__).parents[3] / "tool_manifest.json"
ROWS: list[dict[str, Any]] = manifest()["tools"]  # type: ignore[assignment]


def walk(node: Any) -> Any:
    yield node
    for value in node.values() if isinstance(node, dict) else node if isinstance(node, list) else ():
        yield from walk(value)


def test_the_committed_manifest_is_what_the_tools_give() -> None:
    assert COMMITTED.read_text("utf-8") == manifest_text(), "run `make manifest`"


def test_there_are_these_tools() -> None:
    assert [tool.name for tool in TOOLS] == [
        "memory_normalize", "memory_store_personal", "memory_search_personal", "store_memory", "search_memory",
        "discover_memory_tools", "memory_store", "memory_search", "write_memory", "read_memory", "get_memory", "list_memories",
        "update_memory", "delete_memory", "history", "get_memory_context", "summarize_memory",
        "memory_stats", "merge_memories", "optimize_tags", "memory_timeline", "concept_network", "usage_patterns",
        "export_memories", "import_memories", "backup_restore", "trace_search", "validate_storage", "repair_index",
    ]  # fmt: skip


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_schemas_are_valid_flat_and_closed(row: dict[str, Any]) -> None:
    for side in ("input_schema", "output_schema"):
        jsonschema.Draft202012Validator.check_schema(row[side])
        assert not [node for node in walk(row[side]) if isinstance(node, dict) and ("$ref" in node or "$defs" in node)]
        objects = [node for node in walk(row[side]) if isinstance(node, dict) and "properties" in node]
        assert all(node["additionalProperties"] is False for node in objects)
    assert not [node for node in walk(row["input_schema"]) if node == {"type": "null"}]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row["name"])
def test_an_agent_can_act_on_every_field(row: dict[str, Any]) -> None:
    assert len(row["description"]) > 60
    for node in walk(row["input_schema"]):
        for field in node.get("properties", {}).values() if isinstance(node, dict) else ():
            assert field["description"].endswith(".")


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_examples_are_valid_and_the_identity_is_no_argument(tool: Tool) -> None:
    row = next(row for row in ROWS if row["name"] == tool.name)
    assert tool.examples
    for example in tool.examples:
        jsonschema.validate(example, row["input_schema"])
        check(tool.request, example)
    assert "user_id" not in json.dumps(row["input_schema"])


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_every_tool_has_its_use_case_route_and_errors(tool: Tool) -> None:
    assert callable(use_case(tool.name))
    assert tool.route == f"/tools/{tool.name}"
    functions = {
        "normalize",
        "store",
        "search",
        "discover",
        "write",
        "read",
        "summarize",
        "analysis",
        "transfer",
        "maintenance",
    }
    assert tool.function in functions
    assert (tool.tier == "advanced") == (tool.group is not None)
    assert tool_named(tool.name) is tool


@pytest.mark.parametrize("name", ["store_memory", "memory_store"])
def test_a_store_that_takes_the_place_of_others_tells_that_they_may_be_gone_or_changed(name: str) -> None:
    assert {ErrorCode.NOT_FOUND, ErrorCode.CONFLICT} <= {*tool_named(name).errors}


def test_tiers_nest_and_the_advanced_ones_stand_alone() -> None:
    tiers = {tool.name: tool.tier for tool in TOOLS}
    names = {tier: [str(row["name"]) for row in rows(tier)] for tier in (None, *get_args(Tier))}
    assert names["primary"] == ["store_memory", "search_memory", "discover_memory_tools"]
    assert names["core"] == [name for name, tier in tiers.items() if tier != "advanced"]
    assert names["advanced"] == [name for name, tier in tiers.items() if tier == "advanced"]
    assert names[None] == list(tiers)
    assert {row["tier"] for row in rows()} == set(get_args(Tier))


def test_the_error_codes_are_closed() -> None:
    assert {code.label: (code.status, code.retryable) for code in ErrorCode} == {
        "invalid_argument": (400, False), "unknown_field": (400, False), "missing_field": (400, False),
        "empty_text": (400, False), "text_too_long": (400, False), "secret_only": (400, False),
        "invalid_json": (400, False), "unauthorized": (401, False), "forbidden": (403, False), "unknown_tool": (404, False), "not_found": (404, False),
        "key_not_found": (404, False), "method_not_allowed": (405, False), "conflict": (409, True), "lease_lost": (409, True),
        "not_mergeable": (409, False), "erased": (410, False),
        "payload_too_large": (413, False), "too_many_requests": (429, True),
        "internal": (500, True), "storage_unavailable": (503, True),
    }  # fmt: skip


def test_the_page_of_tools_has_every_tool() -> None:
    page = (COMMITTED.parent / "docs" / "tools.md").read_text("utf-8")
    assert [tool.name for tool in TOOLS if f"| `{tool.name}` |" not in page] == []
