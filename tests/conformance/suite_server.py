"""The tools, resources and prompts that the conformance suite asks for (`served.yaml`), served by what serves our own.

`python -m tests.conformance.suite_server FILE` listens on a free port, as `commonplace serve` does, and prints its address.
"""

import sys
from collections.abc import Mapping
from pathlib import Path
from string import Template
from typing import Any

import anyio
import mcp_types as types
import yaml
from mcp.server import Server, ServerRequestContext
from mcp.server.request_state import RequestStateBoundary, RequestStateSecurity
from mcp.server.subscriptions import InMemorySubscriptionBus, ListenHandler
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp.shared.subscriptions import PromptsListChanged, ServerEvent, ToolsListChanged
from mcp_types.version import MODERN_PROTOCOL_VERSIONS

from commonplace import Commonplace
from commonplace.interfaces.http.listen import listen
from commonplace.interfaces.mcp.opened import OpenedLater

SERVED: dict[str, dict[str, Any]] = yaml.safe_load(Path(__file__).with_name("served.yaml").read_text("utf-8"))
_BUS = InMemorySubscriptionBus()
_CHANGES: Mapping[str, ServerEvent] = {"tools": ToolsListChanged(), "prompts": PromptsListChanged()}
_PAUSE = 0.05  # seconds between two things that are told on the way
_REQUESTS: Mapping[str, tuple[str, type[types.ServerRequest], type[types.Result]]] = {
    "elicitation/create": ("elicitation", types.ElicitRequest, types.ElicitResult),
    "sampling/createMessage": ("sampling", types.CreateMessageRequest, types.CreateMessageResult),
    "roots/list": ("roots", types.ListRootsRequest, types.ListRootsResult),
}
"""What a client can be asked: the capability it declares for it, the request, and what comes back."""
_Asked = types.CallToolRequestParams | types.GetPromptRequestParams


async def _tools(_: ServerRequestContext, _page: Any) -> types.ListToolsResult:
    tools = [
        {"name": name, "description": name, "inputSchema": tool.get("inputSchema", {"type": "object"})}
        for name, tool in SERVED["tools"].items()
    ]
    return types.ListToolsResult.model_validate({"tools": tools})


async def _call(context: ServerRequestContext, asked: types.CallToolRequestParams) -> Any:
    tool = _named(SERVED["tools"], asked.name)
    for step, text in enumerate(tool.get("log", ())):
        await anyio.sleep(_PAUSE if step else 0)
        await context.session.send_log_message("info", text, related_request_id=context.request_id)
    for step, done in enumerate(tool.get("progress", ())):
        await anyio.sleep(_PAUSE if step else 0)
        await context.session.report_progress(done, 100)
    if "changes" in tool:
        await _BUS.publish(_CHANGES[tool["changes"]])
    return await _answered(context, tool, asked, types.CallToolResult)


async def _prompts(_: ServerRequestContext, _page: Any) -> types.ListPromptsResult:
    prompts = [
        {
            "name": name,
            "description": name,
            "arguments": [{"name": one, "required": True} for one in prompt.get("arguments", ())],
        }
        for name, prompt in SERVED["prompts"].items()
    ]
    return types.ListPromptsResult.model_validate({"prompts": prompts})


async def _prompt(context: ServerRequestContext, asked: types.GetPromptRequestParams) -> Any:
    return await _answered(context, _named(SERVED["prompts"], asked.name), asked, types.GetPromptResult)


async def _answered(context: ServerRequestContext, row: Mapping[str, Any], asked: _Asked, kind: type[types.Result]) -> Any:
    """The answer of a tool or prompt, once the client has told all that it is asked for."""
    arguments: dict[str, Any] = dict(asked.arguments or {})
    rounds: list[dict[str, Any]] = _filled(row.get("asks", []), arguments)
    given = {key: one.model_dump_json(by_alias=True) for key, one in (asked.input_responses or {}).items()}
    if rounds and context.protocol_version in MODERN_PROTOCOL_VERSIONS:
        rounds, number = [_declared(context, one) for one in rounds], int(asked.request_state or 0)
        number += set(rounds[number]) <= set(given)
        if number < len(rounds):
            wanted = {"inputRequests": rounds[number], "requestState": str(number)}
            return types.InputRequiredResult.model_validate(wanted)
    else:
        for key, wanted in ((key, wanted) for wanted_now in rounds for key, wanted in wanted_now.items()):
            arguments[key] = await _told(context, wanted)
    return kind.model_validate(_filled(row["answer"], {**arguments, **given}))


async def _told(context: ServerRequestContext, wanted: Mapping[str, Any]) -> str:
    """What the client says to a request, in the versions in which a server sends it one."""
    _, request, result = _REQUESTS[wanted["method"]]
    related = ServerMessageMetadata(related_request_id=context.request_id)
    said = await context.session.send_request(request.model_validate(wanted), result, metadata=related)
    return said.model_dump_json(by_alias=True)


def _declared(context: ServerRequestContext, wanted: Mapping[str, Any]) -> dict[str, Any]:
    """Of what is to be asked, what the client can be asked for; an error where that is nothing."""
    can = context.session.client_capabilities or types.ClientCapabilities()
    found = {key: one for key, one in wanted.items() if getattr(can, _REQUESTS[one["method"]][0]) is not None}
    if not found:
        needed: dict[str, Any] = {_REQUESTS[one["method"]][0]: {} for one in wanted.values()}
        raise MCPError(types.MISSING_REQUIRED_CLIENT_CAPABILITY, "it can't be asked", {"requiredCapabilities": needed})
    return found


async def _resources(_: ServerRequestContext, _page: Any) -> types.ListResourcesResult:
    resources = [
        {"uri": uri, "name": uri, "description": uri, "mimeType": one["mimeType"]} for uri, one in SERVED["resources"].items()
    ]
    return types.ListResourcesResult.model_validate({"resources": resources})


async def _templates(_: ServerRequestContext, _page: Any) -> types.ListResourceTemplatesResult:
    templates = [{"uriTemplate": uri, "name": uri} for uri in SERVED["templates"]]
    return types.ListResourceTemplatesResult.model_validate({"resourceTemplates": templates})


async def _read(_: ServerRequestContext, asked: types.ReadResourceRequestParams) -> types.ReadResourceResult:
    found = SERVED["resources"].get(asked.uri)
    for template, one in SERVED["templates"].items():
        before, after = template.split("{id}")
        if asked.uri.startswith(before) and asked.uri.endswith(after):
            found = _filled(one, {"id": asked.uri.removeprefix(before).removesuffix(after)})
    if found is None:
        raise MCPError(types.INVALID_PARAMS, "there is nothing at this address", {"uri": asked.uri})
    return types.ReadResourceResult.model_validate({"contents": [{"uri": asked.uri, **found}]})


async def _completed(_: ServerRequestContext, _asked: types.CompleteRequestParams) -> types.CompleteResult:
    return types.CompleteResult(completion=types.Completion(values=[], total=0, has_more=False))


async def _taken_note_of(_: ServerRequestContext, _asked: Any) -> types.EmptyResult:
    return types.EmptyResult()


def _named(rows: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    if name not in rows:
        raise MCPError(types.INVALID_PARAMS, "there is nothing of this name")
    row: Mapping[str, Any] = rows[name]
    return row


def _filled(value: Any, arguments: Mapping[str, Any]) -> Any:
    """A value with each `$name` in its texts replaced by the argument of that name."""
    if isinstance(value, str):
        return Template(value).safe_substitute(arguments)
    if isinstance(value, list):
        return [_filled(one, arguments) for one in value]
    return {key: _filled(one, arguments) for key, one in value.items()} if isinstance(value, dict) else value


def server(_: OpenedLater) -> Server:
    """The server of the tables, which has no use for a memory."""
    made: Server = Server(
        "suite", version="1", on_list_tools=_tools, on_call_tool=_call, on_list_prompts=_prompts, on_get_prompt=_prompt,
        on_list_resources=_resources, on_list_resource_templates=_templates, on_read_resource=_read,
        on_subscribe_resource=_taken_note_of, on_unsubscribe_resource=_taken_note_of, on_completion=_completed,
        on_set_logging_level=_taken_note_of, on_subscriptions_listen=ListenHandler(_BUS),
    )  # fmt: skip
    made.middleware.append(RequestStateBoundary(RequestStateSecurity.ephemeral(), default_audience="suite"))
    return made


if __name__ == "__main__":
    with Commonplace(Path(sys.argv[1])) as memory:
        listen(memory, "127.0.0.1", 0, lambda url: print(url, flush=True), over=server)  # noqa: T201
