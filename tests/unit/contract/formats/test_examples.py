"""Every format: made of the same rows, and what a model writes by it is what the tools take."""

import json
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from types import SimpleNamespace
from typing import Any

import jsonschema
import mcp_types
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonplace.contract.formats import NAMES, rendered, text
from commonplace.contract.manifest import row, rows
from commonplace.contract.registry import TOOLS, Tier, Tool
from commonplace.contract.sent import as_declared
from commonplace.contract.validate import check
from commonplace.interfaces.aws import bedrock_agent, http_api, identity
from tests.examples import examples

Arguments = dict[str, Any]
NOWHERE = SimpleNamespace(aws_request_id="1", function_name="store", client_context=None)


@cache
def schemas(name: str, tier: Tier | None = None) -> dict[str, Any]:
    """The input schema of each tool as a format has it."""
    made = rendered(name, rows(tier))
    match name:
        case "anthropic":
            return {tool["name"]: tool["input_schema"] for tool in made}
        case "openai":
            return {tool["function"]["name"]: tool["function"]["parameters"] for tool in made}
        case "bedrock-converse":
            return {tool["toolSpec"]["name"]: tool["toolSpec"]["inputSchema"]["json"] for tool in made["tools"]}
        case "bedrock-agents":
            functions = [each for group in made.values() for each in group["functionSchema"]["functions"]]
            return {each["name"]: {"properties": each["parameters"]} for each in functions}
        case "bedrock-agents-api":
            return bodies(
                path for group in made.values() for path in json.loads(group["apiSchema"]["payload"])["paths"].items()
            )
        case "agentcore":
            return {tool["name"]: tool["inputSchema"] for target in made.values() for tool in target}
        case "gemini":
            return {tool["name"]: tool["parameters"] for tool in made["functionDeclarations"]}
        case "mcp":
            return {tool["name"]: tool["inputSchema"] for tool in made["tools"]}
        case "openapi":
            return bodies(made["paths"].items())
    raise AssertionError(name)


def bodies(paths: Iterable[tuple[str, Any]]) -> dict[str, Any]:
    posts = {path.removeprefix("/tools/"): item["post"] for path, item in paths if path.startswith("/tools/")}
    return {tool: post["requestBody"]["content"]["application/json"]["schema"] for tool, post in posts.items()}


def agents_event(name: str, tool: Tool, parameters: list[dict[str, str]]) -> dict[str, Any]:
    event = {"messageVersion": "1.0", "actionGroup": "commonplace", "sessionAttributes": {identity.USER: "ana"}}
    if name == "bedrock-agents":
        return {**event, "function": tool.name, "parameters": parameters}
    content = {"application/json": {"properties": parameters}}
    return {**event, "apiPath": tool.route, "httpMethod": "POST", "requestBody": {"content": content}}


def there_and_back(name: str, tool: Tool, arguments: Arguments) -> Arguments:
    """The arguments as a model would write them by a format, and as the way in for it reads them."""
    schema = schemas(name)[tool.name]
    if name.startswith("bedrock-agents"):
        parameters = [
            {"name": key, "type": schema["properties"][key]["type"], "value": value if isinstance(value, str) else json.dumps(value)}
            for key, value in arguments.items() if key in schema["properties"]
        ]  # fmt: skip
        rest = {key: value for key, value in arguments.items() if key not in schema["properties"]}
        if rest:
            parameters.append({"name": "options", "type": "string", "value": json.dumps(rest)})
        return dict(as_declared(tool.request, bedrock_agent.read(agents_event(name, tool, parameters), NOWHERE).arguments))
    jsonschema.Draft202012Validator(schema).validate(arguments)
    if name == "mcp":
        call = mcp_types.CallToolRequestParams(name=tool.name, arguments=arguments)
        return mcp_types.CallToolRequestParams.model_validate_json(call.model_dump_json()).arguments or {}
    if name == "openapi":
        context = {
            "http": {"method": "POST"},
            "authorizer": {"jwt": {"claims": {"iss": "https://issuer.example", "sub": "ana"}}},
        }
        event = {"version": "2.0", "rawPath": tool.route, "requestContext": context, "body": json.dumps(arguments)}
        return dict(http_api.read(event, NOWHERE).arguments)
    return dict(json.loads(json.dumps(arguments)))


def values(schema: Any) -> st.SearchStrategy[Any]:
    """Anything that a schema allows, of readable text."""
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    match schema["type"]:
        case "object":
            fields = {name: values(field) for name, field in schema["properties"].items()}
            needed = set(schema.get("required", ()))
            optional = {name: field for name, field in fields.items() if name not in needed}
            made = st.fixed_dictionaries({name: fields[name] for name in fields if name in needed}, optional=optional)
            return made.filter(bool) if "minProperties" in schema else made
        case "array":
            least = schema.get("minItems", 0)
            return st.lists(values(schema["items"]), min_size=least, max_size=least + 3)
        case "integer":
            return st.integers(schema["minimum"], schema["maximum"])
        case "number":
            return st.floats(schema["minimum"], schema["maximum"], allow_nan=False)
        case "boolean":
            return st.booleans()
    if "pattern" in schema:
        texts = st.from_regex(schema["pattern"], fullmatch=True, alphabet="aé7_.-日").map(str)
        return texts.filter(bool)  # an empty text is an argument left out
    if schema.get("format") == "date-time":
        return st.datetimes(max_value=datetime(9000, 12, 31), timezones=st.just(UTC)).map(lambda time: time.isoformat())
    return st.text("aé7 ,\"'[]{}:日\\", min_size=1, max_size=20).map(lambda some: f"a{some}")


@pytest.mark.parametrize("name", NAMES)
def test_it_has_the_tools_it_is_asked_for(name: str) -> None:
    assert sorted(schemas(name)) == sorted(tool.name for tool in TOOLS)
    assert sorted(schemas(name, "core")) == sorted(tool.name for tool in TOOLS if tool.tier != "advanced")


@pytest.mark.parametrize("name", NAMES)
def test_it_is_plain_json_and_the_identity_is_no_argument(name: str) -> None:
    assert json.loads(text(name, rows())) == rendered(name, rows())
    assert "user_id" not in json.dumps(schemas(name))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_the_examples_come_back_as_they_were(name: str, tool: Tool) -> None:
    for example in tool.examples:
        assert there_and_back(name, tool, example) == example
        check(tool.request, there_and_back(name, tool, example))


def _law(name: str, tool: Tool) -> Callable[[], None]:
    @examples(30)
    @given(values(row(tool)["input_schema"]))
    def law(arguments: Arguments) -> None:
        back = there_and_back(name, tool, arguments)
        assert back == arguments
        check(tool.request, back)

    return law


@pytest.mark.parametrize("name", ["agentcore", "bedrock-agents", "bedrock-agents-api", "openapi"])
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_whatever_the_schema_allows_comes_back_and_is_taken(name: str, tool: Tool) -> None:
    _law(name, tool)()
