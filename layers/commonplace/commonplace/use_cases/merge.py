"""Implement `merge_memories`, which merges several memories into one, or suggests merges."""

from collections.abc import Iterator, Mapping, Sequence

from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import Notes
from commonplace.domain.interactions import OperationReport, RunReport
from commonplace.domain.maintenance import MOST_SOURCES, MergeGroup, MergeRequest, MergeResult
from commonplace.memories.comparison import advice_on, find_similar
from commonplace.memories.transitions import check_model_may_close
from commonplace.pages.publishing import publish
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Entry, Stored
from commonplace.retrieval.record_scan import is_visible, visibility_of
from commonplace.runs.apply import Plan
from commonplace.runs.queueing import parse_run
from commonplace.runs.staging import change_many, run_context
from commonplace.use_cases.merge_plan import Sources
from commonplace.use_cases.named import memory_with_id

MOST_COMPARED = 500
_REQUESTED = "merged as asked for"
_PARTIAL = f"only the newest {MOST_COMPARED} memories were compared"
_NO_INDEX = "the index is not available now, so no merges are suggested"


def merge_memories(request: MergeRequest, caller: Caller, ports: Ports) -> MergeResult:
    """Plan or apply a merge, report a stored plan, or suggest merges."""
    _check_arguments(request)
    if request.memory_ids is None and request.run_id is None:
        return _suggest_merges(caller, ports)
    sources = None if request.memory_ids is None else _load_sources(request.memory_ids, caller, ports)
    if sources is not None and sources.refusal is not None:
        if not request.dry_run:
            raise CommonplaceError(ErrorCode.NOT_MERGEABLE, f"memory_ids: {sources.refusal}", "memory_ids")
        return MergeResult(status="done", groups=[_build_source_group(sources, _REQUESTED)])
    if not request.dry_run and caller.goes_on is None:  # a worker only continues a merge that was allowed
        _check_limit(sources, request.run_id, caller, ports)
    planner = lambda _: Plan(operations=(sources.planned(_REQUESTED),) if sources else ())  # noqa: E731
    report = change_many(
        "merge", planner, run_context(caller, ports), dry_run=request.dry_run, run_id=request.run_id, request=request,
        publish=publish,
    )  # fmt: skip
    return _build_result(report)


def _check_limit(sources: Sources | None, run_id: str | None, caller: Caller, ports: Ports) -> None:
    """Raise `TOO_MANY_REQUESTS` if a model would close too many memories by merging these sources or applying the plan."""
    if sources is not None:
        ids = [memory.memory_id for memory in sources.memories]
        command = f"commonplace merge {' '.join(ids)} --apply"
    else:
        run = parse_run("merge", str(run_id), run_context(caller, ports))
        ids = [name for operation in run.operations if operation.outcome == "needs_review" for name in operation.closed]
        command = f"commonplace runs approve {run_id}"
    if ids:
        check_model_may_close(len(ids), command, caller, ports)


def _check_arguments(request: MergeRequest) -> None:
    ids, why = request.memory_ids or [], None
    if request.memory_ids is None and request.run_id is None and not request.dry_run:
        why = "is required with dry_run false, or the run_id of a plan"
    elif request.memory_ids is not None and request.run_id is not None:
        why = "give memory_ids or run_id, not both"
    elif len(set(ids)) < len(ids):
        why = "an id occurs twice"
    if why is not None:
        raise invalid("memory_ids", why)


def _load_sources(memory_ids: Sequence[str], caller: Caller, ports: Ports) -> Sources:
    ids = list(dict.fromkeys(memory_with_id(memory_id, caller, ports, "memory_ids").memory_id for memory_id in memory_ids))
    if len(ids) < len(memory_ids):
        raise invalid("memory_ids", "two of them name the same memory")
    return Sources.of(ports.records.stored(caller.user_id, ids), caller, ports)


def _build_result(report: RunReport) -> MergeResult:
    made = next(
        (operation.operation for operation in report.operations[::-1] if operation.operation.outcome == "applied"), None
    )
    return MergeResult(
        run_id=report.run.run_id,
        status=report.run.public_status,
        progress=report.run.progress,
        groups=[_build_step_group(operation) for operation in report.operations],
        memory_id=made.memory_id if made else None,
        notes=Notes(warnings=[*report.run.notes, *filter(None, [report.run.error])] or None) or None,
    )


def _build_step_group(step: OperationReport) -> MergeGroup:
    outcome = step.operation.outcome
    refused = step.operation.why if outcome == "lost" else outcome if outcome == "discarded" else None
    return MergeGroup(
        memory_ids=list(step.operation.closed), why=step.operation.why, merged_text=step.says or "", refused=refused
    )


def _build_source_group(sources: Sources, why: str) -> MergeGroup:
    """Return the memories to merge as a group, with the merged text and, if they can't be merged, the reason."""
    return MergeGroup(
        memory_ids=[item.memory_id for item in sources.memories], why=why, merged_text=sources.text, refused=sources.refusal
    )


def _suggest_merges(caller: Caller, ports: Ports) -> MergeResult:
    """Group the newest visible memories by meaning, and return the groups without merging them."""
    seen = visibility_of(caller)
    memories = [item for item in ports.records.all(caller.user_id) if is_visible(seen, item)]
    memories.sort(key=lambda memory: memory.memory_id)
    newest = [memory.memory_id for memory in memories[-MOST_COMPARED:]]
    stored = {record.memory.memory_id: record for record in ports.records.stored(caller.user_id, newest)}
    same: dict[str, dict[str, str]] = {}
    for record in stored.values():
        sources = _find_duplicates(record, stored, caller, ports)
        if sources is None:
            return MergeResult(status="done", groups=[], notes=Notes(degraded=_NO_INDEX))
        for other, why in sources.items():
            same.setdefault(record.memory.memory_id, {})[other] = why
            same.setdefault(other, {})[record.memory.memory_id] = why
    groups = [
        _build_source_group(Sources.of((stored[name] for name in ids), caller, ports), same[ids[0]][ids[1]])
        for ids in _find_cliques(same)
    ]
    return MergeResult(
        status="done", groups=groups, notes=Notes(partial=_PARTIAL if len(memories) > len(newest) else None) or None
    )


def _find_duplicates(record: Stored, stored: Mapping[str, Stored], caller: Caller, ports: Ports) -> dict[str, str] | None:
    """Map older memories with the same meaning to the reasons. Returns None if the index is unavailable."""
    entry = Entry(record.memory, record.vector, Audit("store", caller.now, {}))
    similar = find_similar(entry, ports)
    if similar is None:
        return None
    older = [other for other in similar if other.memory_id in stored and other.memory_id < record.memory.memory_id]
    return {merge.memory_id: merge.why for merge in advice_on(entry, older, ports)[0]}


def _find_cliques(same: Mapping[str, Mapping[str, str]]) -> Iterator[list[str]]:
    """Yield groups in which all memories have the same meaning. Each memory is in at most one group."""
    taken: set[str] = set()
    for name in sorted(same):
        group = [name]
        for other in sorted(same[name]) if name not in taken else ():
            fits = other not in taken and all(other in same[member] for member in group)
            if fits and len(group) < MOST_SOURCES:
                group.append(other)
        if len(group) > 1:
            taken.update(group)
            yield group
