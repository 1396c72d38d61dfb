"""Implement `optimize_tags`, which merges tags with the same meaning and archives tags that have long been unused."""

from collections import Counter
from collections.abc import Iterable, Sequence
from datetime import datetime, timedelta

from pydantic import JsonValue, TypeAdapter

from commonplace.domain.fields import Notes
from commonplace.domain.ids import new_operation_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.maintenance import OptimizeRequest, OptimizeResult, TagCounts, TagRename, TagsApart
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run, RunOperation
from commonplace.memories.transitions import corrected
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation, RunContext
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.tag_plan import TagPlan, visible

TOOL = "optimize_tags"
_UNUSED_FOR = timedelta(days=180)
_PAIRS_SHOWN = 50
_BEFORE, _PAIRS = "before", "kept_apart"
_PAIR_LIST: TypeAdapter[list[TagsApart]] = TypeAdapter(list[TagsApart])


def optimize_tags(request: OptimizeRequest, caller: Caller, ports: Ports) -> OptimizeResult:
    """Plan or apply merges of tags, or report a stored plan."""
    memories: list[Memory] = []

    def planned(context: RunContext) -> Plan:
        everything = list(ports.in_time(ports.records.all(caller.user_id)))
        memories.extend(visible(everything, caller))
        uses = Counter(tag for memory in memories for tag in set(memory.tags))
        tags = TagPlan.of(uses, ports.words, lambda: memories, ports.embedder, request.threshold, ports.in_time)
        renamed = {merge.tag: merge.into for merge in tags.merges}
        operations = (_plan_renaming(memory, renamed, context.caller.now) for memory in memories)
        return Plan(
            operations=tuple(filter(None, operations)), tags=(*tags.merges,), archived=_find_unused(everything, caller.now),
            result={_BEFORE: _count_tags(memory.tags for memory in memories).model_dump(), _PAIRS: _list_separate(tags)},
        )  # fmt: skip

    report = change_many(
        "tags", planned, run_context(caller, ports), dry_run=request.dry_run, run_id=request.run_id, request=request,
        publish=publish,
    )  # fmt: skip
    if report.run.is_at_work or report.run.status == "failed":
        return _build_unfinished_result(report.run)
    return _build_result(report, memories or visible(ports.records.all(caller.user_id), caller))


def _list_separate(tags: TagPlan) -> list[JsonValue]:
    """Return the most similar pairs of tags that stay separate, most similar first, as JSON."""
    nearest = sorted(tags.separate, key=lambda each: -each[2].similarity)[:_PAIRS_SHOWN]
    return [
        TagsApart(tags=[tag, other], similarity=alike.similarity, why=alike.difference or "").model_dump(mode="json")
        for tag, other, alike in nearest
    ]


def _plan_renaming(memory: Memory, renamed: dict[str, str], now: datetime) -> PlannedOperation | None:
    """Return the operation that renames a memory's tags, or None if they stay the same."""
    tags = tuple(dict.fromkeys(renamed.get(tag, tag) for tag in memory.tags))
    if tags == memory.tags:
        return None
    name = new_operation_id(now)
    change = corrected(memory, now, {"tool": TOOL, "operation_id": name}, tags=tags)
    operation = RunOperation(
        operation_id=name, kind="UPDATE", outcome="planned", memory_id=memory.memory_id, why="tags of one meaning became one"
    )
    return PlannedOperation(told=operation, at=now, opens=PlannedChange.of(change))


def _find_unused(memories: Sequence[Memory], now: datetime) -> tuple[str, ...]:
    """Return the tags that no active memory has, and whose last memory was closed over 180 days ago."""
    active = {tag for memory in memories if memory.status == "active" for tag in memory.tags}
    last: dict[str, datetime] = {}
    for memory in memories:
        closed = memory.valid_to or memory.updated_at
        for tag in memory.tags if memory.status != "active" else ():
            last[tag] = max(last.get(tag, closed), closed)
    return tuple(sorted(tag for tag, at in last.items() if tag not in active and now - at > _UNUSED_FOR))


def _build_unfinished_result(run: Run) -> OptimizeResult:
    none = _count_tags(())
    return OptimizeResult(
        run_id=run.run_id, status=run.public_status, progress=run.progress, merges=[], kept_apart=[], archived=[],
        before=none, after=none, notes=Notes(warnings=[run.error]) if run.error else None,
    )  # fmt: skip


def _build_result(report: RunReport, memories: Sequence[Memory]) -> OptimizeResult:
    run, planned = report.run, report.run.result or {}
    is_saved = any(operation.outcome in ("needs_review", "applied", "lost", "discarded") for operation in run.operations)
    renamed = {merge.tag: merge.into for merge in run.tags}
    done = {operation.memory_id for operation in run.operations if operation.outcome == "applied"}
    before = planned.get(_BEFORE)
    # an earlier call may have applied changes to the memories
    return OptimizeResult(
        run_id=run.run_id if is_saved else None,
        status=run.public_status,
        merges=[
            TagRename(source=merge.tag, to=merge.into, similarity=merge.similarity, why=merge.why, memories=merge.memories)
            for merge in run.tags
        ],
        kept_apart=_PAIR_LIST.validate_python(planned.get(_PAIRS, [])),
        archived=list(run.archived),
        before=_count_tags(memory.tags for memory in memories) if before is None else TagCounts.model_validate(before),
        after=_count_tags(
            dict.fromkeys(renamed.get(tag, tag) for tag in memory.tags)
            if run.status != "done" or memory.memory_id in done
            else memory.tags
            for memory in memories
        ),
        notes=Notes(warnings=list(run.notes) or None) or None,
    )


def _count_tags(tags: Iterable[Iterable[str]]) -> TagCounts:
    all_tags = [tag for each in tags for tag in each]
    distinct = len(set(all_tags))
    share = round(1 - distinct / len(all_tags), 3) if all_tags else 0.0
    return TagCounts(distinct=distinct, assignments=len(all_tags), reuse_rate=share)
