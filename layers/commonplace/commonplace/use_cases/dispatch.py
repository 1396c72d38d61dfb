"""A tool call from any way in: name and arguments in, a plain answer out, and one place for what goes wrong."""

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, places_of
from commonplace.domain.fields import Result
from commonplace.domain.flaws import gathered
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases.advanced import ADVANCED, UseCase

_log = logging.getLogger("commonplace")


def call(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> Result:
    """Runs a tool and returns its result; raises `CommonplaceError`."""
    from commonplace.contract import validate  # with all tools and the finding of secrets: who only lists runs needs none
    from commonplace.contract.registry import tool_named

    tool = tool_named(name)
    request, kinds = validate.validate(tool.request, arguments, caller.now.tzinfo)
    own = ports.of(caller.user_id)
    with gathered() as flaws:
        result = use_case(name)(request, replace(caller, redacted=tuple(kinds)), own)
    if own is ports.older and not (tool.hints.read_only or getattr(request, "dry_run", False)):
        from commonplace.memories.reembedding import after_write  # most users have switched and don't pay for it

        after_write(caller.user_id, ports)
    return result.naming(flaws)


def answer(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> tuple[int, dict[str, Any]]:
    """Runs a tool for ways in that speak HTTP or JSON: returns a status and a body, whatever happens."""
    return status_and_body(lambda: call(name, arguments, caller, ports).model_dump(mode="json"))


def status_and_body(work: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """Runs a piece of work and returns a status and a body, whatever happens."""
    try:
        return 200, work()
    except CommonplaceError as error:
        return error.code.status, error.body()
    except Exception as error:  # noqa: BLE001 - the one place: an unknown failure is a code and an id, never its own words
        return 500, internal_error(error).body()


def internal_error(error: Exception) -> CommonplaceError:
    """An unknown failure as `INTERNAL`, logged under the id that the caller gets."""
    incident = uuid.uuid4().hex[:12]
    _log.error("unexpected failure %s: %s at %s", incident, type(error).__name__, places_of(error))
    return CommonplaceError(ErrorCode.INTERNAL, f"something failed here; quote {incident} when you report it")


def use_case(name: str) -> UseCase:
    """The use case of a tool, imported at its first use, so that no function pays for another's imports."""
    return USE_CASES[name]()


def _memory_normalize() -> UseCase:
    from commonplace.use_cases.normalize import normalize_statement

    return normalize_statement


def _memory_store_personal() -> UseCase:
    from commonplace.use_cases.store import store_personal

    return store_personal


def _memory_search_personal() -> UseCase:
    from commonplace.use_cases.search import search_personal

    return search_personal


def _store_memory() -> UseCase:
    from commonplace.use_cases.store import store_memory

    return store_memory


def _search_memory() -> UseCase:
    from commonplace.use_cases.search import search_memory

    return search_memory


def _discover_memory_tools() -> UseCase:
    from commonplace.use_cases.discover import discover_tools

    return discover_tools


def _memory_store() -> UseCase:
    from commonplace.use_cases.insights import store_insight

    return store_insight


def _memory_search() -> UseCase:
    from commonplace.use_cases.search import search_insights

    return search_insights


def _write_memory() -> UseCase:
    from commonplace.use_cases.keyed_write import write_memory

    return write_memory


def _read_memory() -> UseCase:
    from commonplace.use_cases.keyed import read_memory

    return read_memory


def _get_memory() -> UseCase:
    from commonplace.use_cases.listing import get_memory

    return get_memory


def _list_memories() -> UseCase:
    from commonplace.use_cases.listing import list_memories

    return list_memories


def _update_memory() -> UseCase:
    from commonplace.use_cases.update import update_memory

    return update_memory


def _delete_memory() -> UseCase:
    from commonplace.use_cases.keyed import delete_memory

    return delete_memory


def _history() -> UseCase:
    from commonplace.use_cases.history import history

    return history


def _get_memory_context() -> UseCase:
    from commonplace.use_cases.context import get_memory_context

    return get_memory_context


def _summarize_memory() -> UseCase:
    from commonplace.use_cases.summary import summarize_memory

    return summarize_memory


USE_CASES: dict[str, Callable[[], UseCase]] = {
    "memory_normalize": _memory_normalize,
    "memory_store_personal": _memory_store_personal,
    "memory_search_personal": _memory_search_personal,
    "store_memory": _store_memory,
    "search_memory": _search_memory,
    "discover_memory_tools": _discover_memory_tools,
    "memory_store": _memory_store,
    "memory_search": _memory_search,
    "write_memory": _write_memory,
    "read_memory": _read_memory,
    "get_memory": _get_memory,
    "list_memories": _list_memories,
    "update_memory": _update_memory,
    "delete_memory": _delete_memory,
    "history": _history,
    "get_memory_context": _get_memory_context,
    "summarize_memory": _summarize_memory,
    **ADVANCED,
}
