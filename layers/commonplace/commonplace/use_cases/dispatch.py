"""Run tool calls from any interface, and convert errors to responses."""

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

_log = logging.getLogger("commonplace")
UseCase = Callable[[Any, Caller, Ports], Result]
"""The function of a tool. It takes a validated request and returns a result."""
USE_CASES: Mapping[str, str] = {
    "memory_normalize": "normalize.normalize_statement",
    "memory_store_personal": "store.store_personal",
    "memory_search_personal": "search.search_personal",
    "store_memory": "store.store_memory",
    "search_memory": "search.search_memory",
    "discover_memory_tools": "discover.discover_tools",
    "memory_store": "insights.store_insight",
    "memory_search": "search.search_insights",
    "write_memory": "keyed_write.write_memory",
    "read_memory": "keyed.read_memory",
    "get_memory": "listing.get_memory",
    "list_memories": "listing.list_memories",
    "update_memory": "update.update_memory",
    "delete_memory": "keyed.delete_memory",
    "history": "history.history",
    "get_memory_context": "context.get_memory_context",
    "summarize_memory": "summary.summarize_memory",
    "memory_stats": "statistics.memory_stats",
    "merge_memories": "merge.merge_memories",
    "optimize_tags": "tags.optimize_tags",
    "memory_timeline": "timeline.memory_timeline",
    "concept_network": "concept_network.concept_network",
    "usage_patterns": "usage_patterns.usage_patterns",
    "export_memories": "export_memories.export_memories",
    "import_memories": "import_memories.import_memories",
    "backup_restore": "backups.backup_restore",
    "trace_search": "trace.trace_search",
    "validate_storage": "consistency.validate_storage",
    "repair_index": "consistency.repair_index",
}
"""Maps each tool to its use case, given as the names of a module in this package and of a function in it."""


def call(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> Result:
    """Run a tool and return its result. Raises `CommonplaceError` for a failure that the caller can act on."""
    from commonplace.contract import validate  # deferred, because listing runs needs neither tools nor redaction
    from commonplace.contract.registry import tool_named

    tool = tool_named(name)
    request, kinds = validate.validate(tool.request, arguments, caller.now.tzinfo)
    with gathered() as flaws:
        result = use_case(name)(request, replace(caller, redacted=tuple(kinds)), ports)
    return result.naming(flaws)


def answer(name: str, arguments: Mapping[str, Any], caller: Caller, ports: Ports) -> tuple[int, dict[str, Any]]:
    """Run a tool for an HTTP or JSON interface, and return a status and a body, which may describe an error."""
    return status_and_body(lambda: call(name, arguments, caller, ports).model_dump(mode="json"))


def status_and_body(work: Callable[[], dict[str, Any]]) -> tuple[int, dict[str, Any]]:
    """Run `work`, and return its result or its error as an HTTP status and a body."""
    try:
        return 200, work()
    except CommonplaceError as error:
        return error.code.status, error.body()
    except Exception as error:  # noqa: BLE001 - for an unknown failure, return an id, never the message
        return 500, internal_error(error).body()


def internal_error(error: Exception) -> CommonplaceError:
    """Log an unknown failure under a new id, and return an `INTERNAL` error that contains the id."""
    incident = uuid.uuid4().hex[:12]
    _log.error("unexpected failure %s: %s at %s", incident, type(error).__name__, places_of(error))
    return CommonplaceError(ErrorCode.INTERNAL, f"something failed here; quote {incident} when you report it")


def use_case(name: str) -> UseCase:
    """Return the use case for a tool. Modules are imported on first use, so that AWS functions load only what they need."""
    file, function = USE_CASES[name].split(".")
    use_case: UseCase = getattr(import_module(f"commonplace.use_cases.{file}"), function)
    return use_case
