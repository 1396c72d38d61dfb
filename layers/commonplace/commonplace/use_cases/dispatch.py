"""A tool call from any way in: name and arguments in, a plain answer out, and one place for what goes wrong."""

import logging
import uuid
from collections.abc import Callable, Mapping
from dataclasses import replace
from importlib import import_module
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode, places_of
from commonplace.domain.fields import Result
from commonplace.domain.flaws import gathered
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller

UseCase = Callable[[Any, Caller, Ports], Result]
"""What a tool does: a checked request in, a result out."""
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
    module, _, function = USE_CASES[name].partition(":")
    found: UseCase = getattr(import_module(f"commonplace.use_cases.{module}"), function)
    return found


USE_CASES: dict[str, str] = {
    "memory_normalize": "normalize:normalize_statement",
    "memory_store_personal": "store:store_personal",
    "memory_search_personal": "search:search_personal",
    "store_memory": "store:store_memory",
    "search_memory": "search:search_memory",
    "discover_memory_tools": "discover:discover_tools",
    "memory_store": "insights:store_insight",
    "memory_search": "search:search_insights",
    "write_memory": "keyed_write:write_memory",
    "read_memory": "keyed:read_memory",
    "get_memory": "listing:get_memory",
    "list_memories": "listing:list_memories",
    "update_memory": "update:update_memory",
    "delete_memory": "keyed:delete_memory",
    "history": "history:history",
    "get_memory_context": "context:get_memory_context",
    "summarize_memory": "summary:summarize_memory",
    "memory_stats": "statistics:memory_stats",
    "merge_memories": "merge:merge_memories",
    "optimize_tags": "tags:optimize_tags",
    "memory_timeline": "timeline:memory_timeline",
    "concept_network": "concept_network:concept_network",
    "usage_patterns": "usage_patterns:usage_patterns",
    "export_memories": "export_memories:export_memories",
    "import_memories": "import_memories:import_memories",
    "backup_restore": "backups:backup_restore",
    "trace_search": "trace:trace_search",
    "validate_storage": "consistency:validate_storage",
    "repair_index": "consistency:repair_index",
}
"""By tool the module here and the function in it, in the order of the registry; each is imported at its first use."""
