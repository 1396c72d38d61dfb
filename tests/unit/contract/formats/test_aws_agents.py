"""Bedrock Converse, Bedrock Agents and AgentCore Gateway, held against the services' own models."""

import copy
import json
from typing import Any

import pytest
from openapi_spec_validator import OpenAPIV30SpecValidator

from commonplace.contract.formats import rendered
from commonplace.contract.formats.aws_agents import parameter
from commonplace.contract.manifest import rows
from commonplace.contract.registry import TOOLS, Tool
from tests.unit.contract.formats.service_shapes import faults

ROWS = rows()
FUNCTIONS = {
    each["name"]: each for group in rendered("bedrock-agents", ROWS).values() for each in group["functionSchema"]["functions"]
}
DOCUMENTS = [json.loads(group["apiSchema"]["payload"]) for group in rendered("bedrock-agents-api", ROWS).values()]
TARGETS = rendered("agentcore", ROWS)
AGENT = {
    "agentId": "ABCDEFGHIJ", "agentVersion": "DRAFT",
    "actionGroupExecutor": {"lambda": "arn:aws:lambda:eu-central-1:123456789012:function:commonplace-search"},
}  # fmt: skip


def converse(tools: Any) -> list[str]:
    messages = [{"role": "user", "content": [{"text": "Is anybody allergic?"}]}]
    return faults("bedrock-runtime", "Converse", {"modelId": "m", "messages": messages, "toolConfig": tools})


def action_group(group: Any) -> list[str]:
    return faults("bedrock-agent", "CreateAgentActionGroup", {**AGENT, **group})


def gateway_target(tools: Any) -> list[str]:
    arn = "arn:aws:lambda:eu-central-1:123456789012:function:commonplace-search"
    target = {"mcp": {"lambda": {"lambdaArn": arn, "toolSchema": {"inlinePayload": tools}}}}
    role = {"credentialProviderType": "GATEWAY_IAM_ROLE"}
    arguments = {
        "gatewayIdentifier": "gateway-abcdefghij", "name": "commonplace", "targetConfiguration": target,
        "credentialProviderConfigurations": [role],
    }  # fmt: skip
    return faults("bedrock-agentcore-control", "CreateGatewayTarget", arguments)


def keys_of_schemas(schema: Any) -> set[str]:
    inner = [*schema.get("properties", {}).values(), *([schema["items"]] if "items" in schema else [])]
    return set(schema).union(*map(keys_of_schemas, inner))


def test_converse_takes_it() -> None:
    assert converse(rendered("bedrock-converse", ROWS)) == []


def test_converse_at_the_top_nothing_but_what_nova_takes() -> None:
    for tool in rendered("bedrock-converse", ROWS)["tools"]:
        schema = tool["toolSpec"]["inputSchema"]["json"]
        assert set(schema) <= {"type", "properties", "required"}
        assert "additionalProperties" not in keys_of_schemas(schema)  # at no depth


@pytest.mark.parametrize("group", rendered("bedrock-agents", ROWS).values(), ids=lambda group: group["actionGroupName"])
def test_agents_take_the_functions(group: Any) -> None:
    assert action_group(group) == []


@pytest.mark.parametrize("name", ["bedrock-agents", "bedrock-agents-api", "agentcore"])
def test_a_lambda_function_gets_its_own_tools_only(name: str) -> None:
    groups = rendered(name, ROWS)
    assert list(groups) == [
        "normalize", "store", "search", "discover", "write", "read", "summarize", "analysis", "maintenance", "transfer",
    ]  # fmt: skip
    for function, group in groups.items():
        shown = json.dumps(group)
        assert [tool.name for tool in TOOLS if f'/{tool.name}\\"' in shown or f'"{tool.name}"' in shown] == [
            tool.name for tool in TOOLS if tool.function == function
        ]


def test_agents_have_five_parameters_a_function_and_every_required_one() -> None:
    together = {}
    for row in ROWS:
        schema: Any = row["input_schema"]
        function = FUNCTIONS[str(row["name"])]
        assert len(function["parameters"]) <= 5
        needed = {name for name, field in function["parameters"].items() if field["required"]}
        assert needed == set(schema.get("required", ()))
        together[row["name"]] = set(schema["properties"]) - set(function["parameters"])
    assert {name: fields for name, fields in together.items() if fields} == {
        "memory_store_personal": {"agent_id", "place"}, "write_memory": {"source", "confidence", "allow_similar"},
        "update_memory": {"filed_under", "type", "tags", "importance", "expires_at", "durability"},
    }  # fmt: skip


def test_agents_write_a_memory_with_a_key_and_the_rest_in_one_string_of_json() -> None:
    parameters = FUNCTIONS["write_memory"]["parameters"]
    assert list(parameters) == ["key", "value", "category", "durability", "options"]
    assert parameters["options"]["type"] == "string"
    assert "{source?: string, confidence?: number 0-1, allow_similar?: boolean}" in parameters["options"]["description"]


def test_agents_get_objects_as_strings_of_json_that_name_their_fields() -> None:
    context = FUNCTIONS["store_memory"]["parameters"]["context"]
    assert context["type"] == "string"
    assert "A JSON object in a string: {force_category?: contexts|projects|" in context["description"]
    assert "force_importance?: integer 1-5" in context["description"]
    assert "place?: {session_id?: string," in context["description"]
    assert FUNCTIONS["search_memory"]["parameters"]["options"]["type"] == "string"


def test_agents_ask_the_user_before_a_tool_that_changes_something() -> None:
    asked = {name for name, function in FUNCTIONS.items() if function["requireConfirmation"] == "ENABLED"}
    assert asked == {tool.name for tool in TOOLS if not tool.hints.read_only}
    assert {"store_memory", "delete_memory", "merge_memories", "repair_index"} <= asked
    assert not {"search_memory", "get_memory", "memory_stats", "trace_search", "validate_storage"} & asked
    operations = [item["post"] for document in DOCUMENTS for item in document["paths"].values()]
    assert {one["operationId"] for one in operations if one["x-requireConfirmation"] == "ENABLED"} == asked


@pytest.mark.parametrize("name", ["bedrock-agents", "bedrock-agents-api"])
def test_a_group_has_eleven_functions_at_most(name: str) -> None:
    (group,) = rendered(name, [row for row in ROWS if row["name"] == "search_memory"] * 11).values()
    assert action_group(group) == []
    with pytest.raises(ValueError, match="search: 12 tools, an action group has 11 at most"):
        rendered(name, [row for row in ROWS if row["name"] == "search_memory"] * 12)


@pytest.mark.parametrize("group", rendered("bedrock-agents-api", ROWS).values(), ids=lambda group: group["actionGroupName"])
def test_agents_take_the_api_kind(group: Any) -> None:
    assert action_group(group) == []
    document = json.loads(group["apiSchema"]["payload"])
    assert document["openapi"] == "3.0.0"  # no other version works there
    OpenAPIV30SpecValidator(document).validate()
    assert '"enum"' not in group["apiSchema"]["payload"]  # not supported there


def test_the_api_kind_has_every_parameter_and_no_object() -> None:
    operations = {path: item["post"] for document in DOCUMENTS for path, item in document["paths"].items()}
    for row in ROWS:
        expected: Any = row["input_schema"]
        schema = operations[f"/tools/{row['name']}"]["requestBody"]["content"]["application/json"]["schema"]
        assert schema["properties"].keys() == expected["properties"].keys()
        assert schema.get("required", []) == expected.get("required", [])
        assert "object" not in [field["type"] for field in schema["properties"].values()]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
def test_names_of_tools_stay_below_64_with_what_the_services_put_before_them(tool: Tool) -> None:
    assert "__" not in tool.name
    assert len(f"POST__commonplace-{tool.function}__{tool.name}") <= 64  # agents: <verb>__<group>__<operation>
    assert len(f"commonplace-{tool.function}___{tool.name}") <= 64  # gateway: <target>___<tool>


@pytest.mark.parametrize("function", TARGETS)
def test_the_gateway_takes_it(function: str) -> None:
    assert gateway_target(TARGETS[function]) == []
    for tool in TARGETS[function]:
        assert keys_of_schemas(tool["inputSchema"]) <= {"type", "properties", "required", "items", "description"}


def test_limits_that_a_schema_cannot_say_are_said_in_words() -> None:
    tools = {tool["name"]: tool["inputSchema"]["properties"] for target in TARGETS.values() for tool in target}
    assert tools["memory_search_personal"]["limit"]["description"].endswith("1-100; 10 when left out.")
    assert "One of user, agent, system" in tools["memory_normalize"]["source"]["description"]
    assert tools["memory_normalize"]["text"]["description"].count("8,000 characters") == 1  # it said so itself
    category = tools["store_memory"]["context"]["properties"]["force_category"]["description"]
    assert "contexts, projects, learnings" in category


def test_a_fault_would_be_seen() -> None:
    tools = copy.deepcopy(rendered("bedrock-converse", ROWS))
    tools["tools"][0]["toolSpec"]["name"] = "a b"
    assert "does not match" in converse(tools)[0]
    group = copy.deepcopy(rendered("bedrock-agents", ROWS))["normalize"]
    function = group["functionSchema"]["functions"][0]
    function["parameters"]["text"] = {**function["parameters"]["text"], "description": "x" * 501}
    function["parameters"]["source"] = {"type": "object"}
    assert [fault.split(": ")[1] for fault in action_group(group)] == [
        "501 is more than 500",
        "is none of ['string', 'number', 'integer', 'boolean', 'array']",
    ]
    target = copy.deepcopy(TARGETS)["normalize"]
    target[0]["inputSchema"]["properties"]["source"]["enum"] = ["user"]
    assert "Unknown parameter" in gateway_target(target)[0]


def test_an_object_may_be_described_in_500_characters() -> None:
    for row in ROWS:
        schema: Any = row["input_schema"]
        for name, field in schema["properties"].items():
            assert len(parameter(field)["description"]) <= 500, (row["name"], name)
