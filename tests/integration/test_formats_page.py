"""The Python of docs/internals/formats.md, run as it stands: the services by script, the memory a real server."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import mcp
import pytest

from commonplace.contract.formats import NAMES, text
from commonplace.contract.manifest import rows
from tests.integration.command_line import clean
from tests.integration.http_server import Server, served
from tests.integration.scripted_json_api import ScriptedApi, scripted

pytestmark = pytest.mark.integration

PAGE = (Path(__file__).parents[2] / "docs" / "internals" / "formats.md").read_text("utf-8")
SNIPPETS = dict(re.findall(r"^## ([^\n]+)\n(?:(?!^## ).)*?```python\n(.*?)```", PAGE, re.DOTALL | re.MULTILINE))
QUESTION = {"query": "What is Mia allergic to?", "options": {"limit": 3}}
AWS = {
    "AWS_ACCESS_KEY_ID": "AKIAEXAMPLE", "AWS_SECRET_ACCESS_KEY": "example", "AWS_DEFAULT_REGION": "eu-central-1",
    "AWS_EC2_METADATA_DISABLED": "true", "AWS_MAX_ATTEMPTS": "1", "AGENT_ID": "ABCDEFGHIJ", "GATEWAY_ID": "memory-abcdefghij",
    "FUNCTION_ARN_PREFIX": "arn:aws:lambda:eu-central-1:123456789012:function:commonplace-",
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("formats")
    for name in NAMES:
        (path / f"{name}.json").write_text(text(name, rows()), "utf-8")
    (path / "memory.py").write_text(SNIPPETS["Plain HTTP"], "utf-8")
    for number, snippet in enumerate(SNIPPETS):
        (path / f"snippet{number}.py").write_text(SNIPPETS[snippet], "utf-8")
    return path


@pytest.fixture(scope="module")
def server(folder: Path) -> Iterator[Server]:
    with served(folder / "memory.db") as started:
        started.call("store_memory", content="My daughter Mia is allergic to peanuts.")
        yield started


def script_of(heading: str, folder: Path) -> str:
    return str(folder / f"snippet{list(SNIPPETS).index(heading)}.py")


def run(heading: str, folder: Path, server: Server, **environment: str) -> str:
    around = {"COMMONPLACE_URL": f"http://127.0.0.1:{server.port}", **AWS, **environment}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", script_of(heading, folder)],
        cwd=folder, env={**clean(folder), **around, "PYTHONWARNINGS": ""}, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def test_the_page_tells_every_format() -> None:
    assert [name for name in NAMES if f"| `{name}` |" not in PAGE] == []
    assert list(SNIPPETS) == [
        "Plain HTTP", "Anthropic", "OpenAI", "Bedrock Converse", "Bedrock Agents", "AgentCore Gateway", "Gemini", "MCP",
    ]  # fmt: skip


def test_plain_http(folder: Path, server: Server) -> None:
    assert json.loads(run("Plain HTTP", folder, server))["results"][0]["content"] == "My daughter Mia is allergic to peanuts."


def anthropic_answer(reason: str, *content: Any) -> Any:
    usage = {"input_tokens": 1, "output_tokens": 1}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": list(content), "stop_reason": reason,
        "stop_sequence": None, "usage": usage,
    }  # fmt: skip


def test_anthropic(folder: Path, server: Server) -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "search_memory", "input": QUESTION}
    script = [anthropic_answer("tool_use", use), anthropic_answer("end_turn", {"type": "text", "text": "No peanuts."})]
    with scripted(script) as api:
        assert run("Anthropic", folder, server, ANTHROPIC_BASE_URL=api.url, ANTHROPIC_API_KEY="k") == "No peanuts."
    assert api.bodies[0]["tools"] == json.loads(text("anthropic", rows()))
    assert "peanuts" in api.bodies[1]["messages"][2]["content"][0]["content"]


def openai_answer(message: Any, reason: str) -> Any:
    choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": reason}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def test_openai(folder: Path, server: Server) -> None:
    use = {"id": "call_1", "type": "function", "function": {"name": "search_memory", "arguments": json.dumps(QUESTION)}}
    script = [
        openai_answer({"content": None, "tool_calls": [use]}, "tool_calls"),
        openai_answer({"content": "No peanuts."}, "stop"),
    ]
    with scripted(script) as api:
        assert run("OpenAI", folder, server, OPENAI_BASE_URL=api.url, OPENAI_API_KEY="k") == "No peanuts."
    assert api.bodies[0]["tools"] == json.loads(text("openai", rows()))
    assert "peanuts" in api.bodies[1]["messages"][2]["content"]


def converse_answer(reason: str, content: Any) -> Any:
    usage = {"inputTokens": 1, "outputTokens": 1, "totalTokens": 2}
    message = {"role": "assistant", "content": [content]}
    return {"output": {"message": message}, "stopReason": reason, "usage": usage, "metrics": {"latencyMs": 1}}


def test_bedrock_converse(folder: Path, server: Server) -> None:
    use = {"toolUse": {"toolUseId": "t1", "name": "search_memory", "input": QUESTION}}
    with scripted([converse_answer("tool_use", use), converse_answer("end_turn", {"text": "No peanuts."})]) as api:
        assert run("Bedrock Converse", folder, server, AWS_ENDPOINT_URL_BEDROCK_RUNTIME=api.url) == "No peanuts."
    assert api.bodies[0]["toolConfig"] == json.loads(text("bedrock-converse", rows()))
    assert "peanuts" in api.bodies[1]["messages"][2]["content"][0]["toolResult"]["content"][0]["text"]


def gemini_answer(part: Any) -> Any:
    return {"candidates": [{"content": {"role": "model", "parts": [part]}, "finishReason": "STOP", "index": 0}]}


def test_gemini(folder: Path, server: Server) -> None:
    use = {"functionCall": {"name": "search_memory", "args": QUESTION}, "thoughtSignature": "c2ln"}
    with scripted([gemini_answer(use), gemini_answer({"text": "No peanuts."})]) as api:
        assert run("Gemini", folder, server, GEMINI_URL=api.url, GEMINI_API_KEY="k") == "No peanuts."
    assert api.bodies[0]["tools"] == [json.loads(text("gemini", rows()))]
    assert api.bodies[1]["contents"][1]["parts"] == [use]
    response = api.bodies[1]["contents"][2]["parts"][0]["functionResponse"]
    assert response["name"] == "search_memory"
    assert "peanuts" in response["response"]["results"][0]["content"]


FUNCTIONS = ("normalize", "store", "search", "discover", "write", "read", "summarize", "analysis", "maintenance", "transfer")


def sent_by(heading: str, endpoint: str, folder: Path, server: Server) -> ScriptedApi:
    with scripted([{}] * len(FUNCTIONS)) as api:
        run(heading, folder, server, **{endpoint: api.url})
    return api


def test_bedrock_agents(folder: Path, server: Server) -> None:
    api = sent_by("Bedrock Agents", "AWS_ENDPOINT_URL_BEDROCK_AGENT", folder, server)
    assert [path for path, _ in api.requests] == ["/agents/ABCDEFGHIJ/agentversions/DRAFT/actiongroups/"] * len(FUNCTIONS)
    groups = json.loads(text("bedrock-agents", rows())).values()
    assert [body["functionSchema"] for body in api.bodies] == [group["functionSchema"] for group in groups]
    assert api.bodies[1]["actionGroupExecutor"]["lambda"].endswith(":commonplace-store")


def test_agentcore(folder: Path, server: Server) -> None:
    api = sent_by("AgentCore Gateway", "AWS_ENDPOINT_URL_BEDROCK_AGENTCORE_CONTROL", folder, server)
    assert [body["name"] for body in api.bodies] == [f"commonplace-{each}" for each in FUNCTIONS]
    schemas = [body["targetConfiguration"]["mcp"]["lambda"]["toolSchema"]["inlinePayload"] for body in api.bodies]
    assert schemas == list(json.loads(text("agentcore", rows())).values())


def test_mcp(folder: Path, server: Server) -> None:
    environment = {**clean(folder), "COMMONPLACE_URL": f"http://127.0.0.1:{server.port}", "PYTHONWARNINGS": ""}
    process = mcp.StdioServerParameters(command=sys.executable, args=[script_of("MCP", folder)], env=environment, cwd=folder)

    async def ask() -> None:
        async with mcp.Client(process) as client:
            assert len((await client.list_tools()).tools) == len(rows())
            found = await client.call_tool("search_memory", QUESTION)  # the client checks the answer by the output schema
            assert found.structured_content["results"][0]["content"] == "My daughter Mia is allergic to peanuts."
            refused = await client.call_tool("search_memory", {"query": "x", "limit": 0})
            assert refused.is_error
            assert "limit" in refused.content[0].text  # type: ignore[union-attr]

    anyio.run(ask)
