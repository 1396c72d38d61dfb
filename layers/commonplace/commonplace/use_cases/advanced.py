"""The use cases of the advanced tools, each imported by a function of its own, as `dispatch` has those of the others."""

from collections.abc import Callable
from typing import Any

from commonplace.domain.fields import Result
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller

UseCase = Callable[[Any, Caller, Ports], Result]
"""What a tool does: a checked request in, a result out."""


def _memory_stats() -> UseCase:
    from commonplace.use_cases.statistics import memory_stats

    return memory_stats


def _memory_timeline() -> UseCase:
    from commonplace.use_cases.timeline import memory_timeline

    return memory_timeline


def _concept_network() -> UseCase:
    from commonplace.use_cases.concept_network import concept_network

    return concept_network


def _usage_patterns() -> UseCase:
    from commonplace.use_cases.usage_patterns import usage_patterns

    return usage_patterns


def _trace_search() -> UseCase:
    from commonplace.use_cases.trace import trace_search

    return trace_search


def _export_memories() -> UseCase:
    from commonplace.use_cases.export_memories import export_memories

    return export_memories


def _import_memories() -> UseCase:
    from commonplace.use_cases.import_memories import import_memories

    return import_memories


def _backup_restore() -> UseCase:
    from commonplace.use_cases.backups import backup_restore

    return backup_restore


def _validate_storage() -> UseCase:
    from commonplace.use_cases.consistency import validate_storage

    return validate_storage


def _repair_index() -> UseCase:
    from commonplace.use_cases.consistency import repair_index

    return repair_index


def _merge_memories() -> UseCase:
    from commonplace.use_cases.merge import merge_memories

    return merge_memories


def _optimize_tags() -> UseCase:
    from commonplace.use_cases.tags import optimize_tags

    return optimize_tags


ADVANCED: dict[str, Callable[[], UseCase]] = {
    "memory_stats": _memory_stats,
    "merge_memories": _merge_memories,
    "optimize_tags": _optimize_tags,
    "memory_timeline": _memory_timeline,
    "concept_network": _concept_network,
    "usage_patterns": _usage_patterns,
    "export_memories": _export_memories,
    "import_memories": _import_memories,
    "backup_restore": _backup_restore,
    "trace_search": _trace_search,
    "validate_storage": _validate_storage,
    "repair_index": _repair_index,
}
