"""Anthropic, OpenAI and MCP, read by the types of their own SDKs."""

import re
from typing import Any

import jsonschema
import mcp_types
import pytest
from anthropic.types import ToolParam
from anthropic.types.tool_param import InputSchemaTyped
from openai.types.chat import ChatCompletionFunctionTool, ChatCompletionFunctionToolParam
from openai.types.responses import FunctionTool, FunctionToolParam
from pydantic import TypeAdapter, ValidationError

from commonplace.contract.formats import rendered
from commonplace.contract.manifest import rows

ROWS = rows()
NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")


def read(kind: Any, value: Any) -> Any:
    """The value as an SDK's type reads it; keys that the type doesn't know are refused, too."""
    known: set[str] = set(kind.__annotations__)
    assert set(value) <= known
    return TypeAdapter(kind).validate_python(value)


@pytest.mark.parametrize("tool", rendered("anthropic", ROWS), ids=lambda tool: tool["name"])
def test_anthropic_reads_it(tool: Any) -> None:
    assert read(ToolParam, tool)["name"] == tool["name"]
    assert TypeAdapter(InputSchemaTyped).validate_python(tool["input_schema"])["type"] == "object"
    assert NAME.fullmatch(tool["name"])
    jsonschema.Draft202012Validator.check_schema(tool["input_schema"])


@pytest.mark.parametrize("tool", rendered("openai", ROWS), ids=lambda tool: tool["function"]["name"])
def test_openai_reads_it(tool: Any) -> None:
    assert read(ChatCompletionFunctionToolParam, tool)["type"] == "function"
    model = ChatCompletionFunctionTool.model_validate(tool, strict=True)
    assert model.model_dump() == tool
    assert NAME.fullmatch(tool["function"]["name"])
    assert len(tool["function"]["description"]) <= 1024


@pytest.mark.parametrize("tool", rendered("openai", ROWS), ids=lambda tool: tool["function"]["name"])
def test_openai_reads_it_for_responses_with_its_function_taken_out(tool: Any) -> None:
    flat = {"type": "function", **tool["function"]}
    assert read(FunctionToolParam, flat)["strict"] is False
    assert FunctionTool.model_validate(flat, strict=True).parameters == tool["function"]["parameters"]


def test_mcp_reads_it() -> None:
    listed = rendered("mcp", ROWS)
    model = mcp_types.ListToolsResult.model_validate(listed, strict=True)
    shown = model.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert shown["tools"] == listed["tools"]  # nothing that it doesn't know, and nothing lost
    for tool in model.tools:
        jsonschema.Draft202012Validator.check_schema(tool.input_schema)
        assert tool.output_schema is not None
        jsonschema.Draft202012Validator.check_schema(tool.output_schema)
        assert tool.input_schema["type"] == tool.output_schema["type"] == "object"


def test_mcp_says_which_tools_only_read() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in rendered("mcp", ROWS)["tools"]}
    assert hints["search_memory"]["readOnlyHint"] is True
    assert hints["store_memory"]["readOnlyHint"] is False
    assert hints["store_memory"]["destructiveHint"] is False


def test_a_fault_would_be_seen() -> None:
    with pytest.raises(ValidationError):
        read(ToolParam, {"name": "x"})
    with pytest.raises(ValidationError):
        ChatCompletionFunctionTool.model_validate({"type": "tool", "function": {"name": "x"}})
    with pytest.raises(ValidationError):
        mcp_types.ListToolsResult.model_validate({"tools": [{"name": "x"}]})
