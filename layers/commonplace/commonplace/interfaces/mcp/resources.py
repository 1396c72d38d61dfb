"""Serve single memories and pages of memories as resources, which clients read by URI."""

import json
from urllib.parse import unquote

import mcp_types as types
from mcp.shared.exceptions import MCPError

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.interfaces.mcp.opened import UserMemory
from commonplace.use_cases.dispatch import internal_error

_SCHEME, _PAGES = "memory://", "memory://pages/"
_MARKDOWN, _JSON = "text/markdown", "application/json"
LISTED = types.ListResourcesResult(
    resources=[
        types.Resource(
            uri=f"{_PAGES}MEMORY.md", name="MEMORY.md", title="What is remembered", mime_type=_MARKDOWN,
            description="All durable memories of the user on one page, by heading.",
        )
    ]
)  # fmt: skip
TEMPLATES = types.ListResourceTemplatesResult(
    resource_templates=[
        types.ResourceTemplate(
            uri_template=f"{_SCHEME}{{id}}", name="memory", title="One memory", mime_type=_JSON,
            description="One memory as it is stored, by the id that a search returned.",
        ),
        types.ResourceTemplate(
            uri_template=f"{_PAGES}memory/{{day}}.md", name="day", title="The notes of a day", mime_type=_MARKDOWN,
            description="The notes of one day, e.g. 2026-05-20.",
        ),
    ]
)  # fmt: skip


def read(uri: str, memory: UserMemory) -> types.ReadResourceResult:
    """Return the resource at a URI. Raises a protocol error if the resource is missing or can't be read."""
    try:
        media, text = _read_contents(uri, memory)
    except CommonplaceError as error:
        code = types.INVALID_PARAMS if error.code.status < 500 else types.INTERNAL_ERROR
        raise MCPError(code, str(error), {"uri": uri, **error.body()}) from None
    except Exception as error:  # noqa: BLE001 - the client gets a code and an id, but never an unknown error's text
        raise MCPError(types.INTERNAL_ERROR, str(internal_error(error))) from None
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=media, text=text)])


def _read_contents(uri: str, memory: UserMemory) -> tuple[str, str]:
    """Return the media type and the text of a resource."""
    if uri.startswith(_PAGES):
        page = memory.page(unquote(uri.removeprefix(_PAGES)))
        if page is not None:
            return _MARKDOWN, page
    elif uri.startswith(_SCHEME):
        named = {"memory_id": unquote(uri.removeprefix(_SCHEME))}
        return _JSON, json.dumps(memory.call("get_memory", named)["memory"], ensure_ascii=False)
    raise CommonplaceError(ErrorCode.NOT_FOUND, "there is nothing at this address", "uri")
