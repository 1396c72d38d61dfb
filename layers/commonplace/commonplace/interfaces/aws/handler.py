"""Creates the handlers of functions that serve tools. Each accepts every kind of event and responds in the event's format."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from commonplace.contract import validate
from commonplace.contract.registry import TOOLS, tool_named
from commonplace.contract.sent import as_declared
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ImportRequest, StoreManyRequest
from commonplace.interfaces.aws import agentcore, bedrock_agent, container, direct, http_api
from commonplace.interfaces.aws.call import Body, Call, Context, EventKind
from commonplace.ports.values import Caller
from commonplace.use_cases import dispatch

Handler = Callable[[dict[str, Any], Any], Body]
_WITHOUT_MEMORY = {"normalize"}
_SERVES = {
    "memories": http_api.ROUTES[http_api.STORE_MANY],
    "import": http_api.ROUTES[http_api.IMPORT],
    "manifest": http_api.ROUTES[http_api.MANIFEST],
    "night": http_api.ROUTES[http_api.NIGHT[0]],
    "export": http_api.ROUTES[http_api.EXPORT],
    "upload": http_api.ROUTES[http_api.UPLOAD],
    "page": "read",
}

# AgentCore is first, because a model writes the whole event, which must not be mistaken for another kind.
_KINDS: tuple[EventKind, ...] = (agentcore, http_api, bedrock_agent, direct)


def handler_of(function: str) -> Handler:
    """Return a function's Lambda handler. The function's use cases are imported now, while Lambda starts the container."""
    for tool in TOOLS:
        if tool.function == function:
            dispatch.use_case(tool.name)
    if function == _SERVES["night"]:
        from commonplace.interfaces.aws import nightly_functions  # noqa: F401 - loaded while Lambda starts

    def handle(event: dict[str, Any], context: Context) -> Body:
        # Powertools is imported by the first call, not at the start of the container
        from commonplace.interfaces.aws.observability import observe

        container.begin(context.get_remaining_time_in_millis())
        # an unknown event counts as a direct call, and `direct` refuses it
        kinds = _KINDS if isinstance(event, dict) else ()
        kind = next((kind for kind in kinds if kind.takes(event, context)), direct)
        with observe(function, kind.NAME, kind.correlation(event, context), context) as call:
            status, body = dispatch.status_and_body(lambda: _answer_call(function, call.asks(kind.read(event, context))))
            call.answered(status, body)
            return kind.respond(event, status, body)

    return handle


def _answer_call(function: str, call: Call) -> Body:
    """Answer a call of any kind. Raises `UNKNOWN_TOOL` if another function serves it, and `UNAUTHORIZED` without a user."""
    serves = tool_named(call.name).function if call.kind == "tool" else _SERVES[call.kind]
    if serves != function:  # this function lacks the permissions of the other function
        raise CommonplaceError(ErrorCode.UNKNOWN_TOOL, f"this is served by the function {serves}, not by {function}")
    if call.kind == "manifest":
        from commonplace.contract.manifest import manifest

        return manifest()
    if call.user_id is None:
        raise CommonplaceError(ErrorCode.UNAUTHORIZED, "no call is anonymous")
    if call.kind == "night":
        from commonplace.interfaces.aws.nightly_functions import answer  # no other function loads its modules

        return answer(call)
    caller = Caller(call.user_id, container.now(call.zone), admin=call.admin)
    if call.kind == "memories":
        return _store_memories(call, caller)
    if call.kind == "import":
        return _import_conversation(call, caller)
    if call.kind == "export":
        from commonplace.use_cases.export_memories import export_link

        return {"location": export_link(call.name, caller, container.ports())}
    if call.kind == "upload":
        from commonplace.use_cases.import_memories import keep_upload

        return keep_upload(call.arguments["body"], caller, container.ports()).model_dump(mode="json")
    if call.kind == "page":
        return _get_page(call.name, caller)
    ports = container.models() if function in _WITHOUT_MEMORY else container.ports()
    arguments = as_declared(tool_named(call.name).request, call.arguments)
    return dispatch.call(call.name, arguments, caller, ports).model_dump(mode="json")


def _store_memories(call: Call, caller: Caller) -> Body:
    from commonplace.use_cases.store_many import store_memories

    body = validate.check(StoreManyRequest, as_declared(StoreManyRequest, call.arguments))
    caller = replace(caller, waits=body.wait)
    return store_memories(body.memories, caller, container.ports(), container.left).model_dump(mode="json")


def _import_conversation(call: Call, caller: Caller) -> Body:
    from commonplace.use_cases.import_conversation import import_turns

    body = validate.check(ImportRequest, as_declared(ImportRequest, call.arguments))
    if body.messages is not None:
        from commonplace.importing.kinds import import_source
        from commonplace.importing.sources import Source

        source = Source(None, json.dumps({"messages": body.messages}))
        return import_source(source, "messages", caller, container.ports(), apply=body.apply).model_dump(mode="json")
    return import_turns(body.turns or [], body.keep, caller, container.ports()).model_dump(mode="json")


def _get_page(name: str, caller: Caller) -> Body:
    from commonplace.pages.publishing import visible_pages

    pages = visible_pages(caller, container.ports())
    if name not in pages:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "there is no such page")
    return {"text": pages[name]}
