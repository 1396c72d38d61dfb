"""Anthropic, OpenAI and MCP, read by the types of their own SDKs; Gemini by the fields of its API reference."""

import re
from typing import Annotated, Any, Literal, Self

import jsonschema
import mcp_types
import pytest
from anthropic.types import ToolParam
from anthropic.types.tool_param import InputSchemaTyped
from openai.types.chat import ChatCompletionFunctionTool, ChatCompletionFunctionToolParam
from openai.types.responses import FunctionTool, FunctionToolParam
from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError, model_validator

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


class GeminiSchema(BaseModel):
    """`Schema` of the Gemini API, as its reference has it: the server refuses a request with any other field."""

    model_config = ConfigDict(extra="forbid", strict=True)

    type: Literal["string", "number", "integer", "boolean", "array", "object", "null"]
    format: Literal["enum", "date-time", "float", "double", "int32", "int64"] | None = None
    title: str | None = None
    description: str | None = None
    nullable: bool | None = None
    enum: list[str] | None = None
    properties: dict[str, "GeminiSchema"] | None = None
    required: list[str] | None = None
    items: "GeminiSchema | None" = None
    anyOf: list["GeminiSchema"] | None = None  # noqa: N815
    propertyOrdering: list[str] | None = None  # noqa: N815
    pattern: str | None = None
    default: Any = None
    example: Any = None
    minimum: float | None = None
    maximum: float | None = None
    minLength: int | None = None  # noqa: N815
    maxLength: int | None = None  # noqa: N815
    minItems: int | None = None  # noqa: N815
    maxItems: int | None = None  # noqa: N815
    minProperties: int | None = None  # noqa: N815
    maxProperties: int | None = None  # noqa: N815

    @model_validator(mode="after")
    def whole(self) -> Self:
        """What the server asks for besides: items of an array, properties of an object, and that what is required is there."""
        assert (self.type == "array") == (self.items is not None)
        assert (self.type == "object") == bool(self.properties)
        assert set(self.required or ()) <= set(self.properties or ())
        assert self.enum is None or self.type == "string"
        assert self.format not in ("enum", "date-time") or self.type == "string"
        return self


class GeminiFunction(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    name: Annotated[str, Field(pattern=r"^[a-zA-Z_][a-zA-Z0-9_-]{0,62}$")]
    description: str
    parameters: GeminiSchema


def said_of(schema: Any) -> Any:
    """A schema without what Gemini has no word for."""
    if isinstance(schema, dict):
        return {name: said_of(value) for name, value in schema.items() if name != "additionalProperties"}
    return [said_of(item) for item in schema] if isinstance(schema, list) else schema


def test_gemini_reads_it() -> None:
    tools = rendered("gemini", ROWS)
    assert set(tools) == {"functionDeclarations"}
    for tool, row in zip(tools["functionDeclarations"], ROWS, strict=True):
        GeminiFunction.model_validate(tool)
        assert tool["parameters"] == said_of(row["input_schema"])  # and nothing else is lost


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
    for schema in ({"type": "object", "properties": {}}, {"type": "string", "additionalProperties": False}, {"$ref": "#"}):
        with pytest.raises(ValidationError):
            GeminiFunction.model_validate({"name": "x", "description": "x", "parameters": schema})
