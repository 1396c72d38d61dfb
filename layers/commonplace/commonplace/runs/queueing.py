"""Work that is longer than its call: kept as a run with what was asked for, for a worker to do; and told by the run's id."""

from collections.abc import Callable, Mapping
from typing import TypeVar

from pydantic import JsonValue

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import FrozenPart, Notes, Request
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import may_be_id, new_run_id
from commonplace.domain.runs import LongResult, Run, RunKind
from commonplace.ports.values import OutOfTime
from commonplace.runs.apply import Lease, RunContext, leased

TOOLS: Mapping[RunKind, str] = {
    "tags": "optimize_tags", "merge": "merge_memories", "import": "import_memories", "export": "export_memories",
    "backup": "backup_restore", "restore": "backup_restore", "validation": "validate_storage", "repair": "repair_index",
}  # fmt: skip
"""The tools that a worker goes on with, by the kind of their runs."""
_REQUEST = "request"
_MOST_ATTEMPTS = 3
_NO_END = "a worker began it three times and did not get to its end"
_LOST = "what was asked for can't be read any more; nothing was changed"
AnyResult = TypeVar("AnyResult", bound=LongResult)


class Asked(FrozenPart):
    """What a queued run is to do, and for whom: kept beside the run, so that no message has to be believed about it."""

    arguments: dict[str, JsonValue]
    agent_id: str
    admin: bool


def kept_run(kind: RunKind, run_id: str, context: RunContext) -> Run:
    """The run of that id and kind; `NOT_FOUND` if there is none."""
    run = context.night.runs.get(context.user_id, run_id) if may_be_id(run_id) else None
    if run is None or run.kind != kind:
        raise CommonplaceError(ErrorCode.NOT_FOUND, f"run_id: no run of this kind ({kind}) has this id", "run_id")
    return run


def new_run(kind: RunKind, context: RunContext) -> Run:
    """A run that begins now and has done nothing yet."""
    now = context.caller.now
    return Run(run_id=new_run_id(now), user_id=context.user_id, kind=kind, date=now.date(), started_at=now)


def queued(run: Run, request: Request, so_far: dict[str, JsonValue] | None, context: RunContext, lease: Lease) -> Run:
    """Keeps a run for a worker, with what was asked for; what was kept of a plan that is not whole goes."""
    parts, caller = context.night.parts, context.caller
    parts.drop_parts(run.user_id, run.run_id, [_REQUEST])
    arguments = request.model_dump(mode="json", exclude_none=True)
    asked = Asked(arguments=arguments, agent_id=caller.agent_id, admin=caller.admin)
    parts.save_part(run, _REQUEST, asked.model_dump_json(), lease.fence)
    attempts = run.attempts if so_far == run.result else 0
    run = run.model_copy(update={"status": "queued", "result": so_far, "attempts": attempts})
    context.night.runs.save(run, lease.fence)
    return run


def asked_for(run: Run, context: RunContext) -> Asked:
    """What a queued run is to do; `NOT_FOUND` if that can't be read any more."""
    saved = context.night.parts.part(run.user_id, run.run_id, _REQUEST)
    try:
        return Asked.model_validate_json(saved or "")
    except ValueError:
        raise CommonplaceError(ErrorCode.NOT_FOUND, _LOST) from None


def taken_up(run: Run, context: RunContext, lease: Lease) -> Run:
    """A queued run that a worker begins with, without what one that was killed has kept of its plan.

    It is `failed` where three have begun and none got to its end.
    """
    if run.status != "queued":
        return run
    if run.attempts >= _MOST_ATTEMPTS:
        return failed(run, _NO_END, context, lease)
    run = run.model_copy(update={"attempts": run.attempts + 1})
    context.night.parts.drop_parts(run.user_id, run.run_id, [_REQUEST])
    context.night.runs.save(run, lease.fence)
    return run


def failed(run: Run, why: str, context: RunContext, lease: Lease) -> Run:
    """Closes a run that can't be done."""
    return _ended(run.model_copy(update={"status": "failed", "error": why}), context, lease)


def drop_request(run: Run, context: RunContext, keep: list[str]) -> None:
    """What was asked for goes once there is a plan of it: it may hold a file. `keep`: the parts that stay."""
    if context.caller.goes_on is not None:
        context.night.parts.drop_parts(run.user_id, run.run_id, keep)


def in_call_or_queued(
    kind: RunKind, request: Request, context: RunContext, run_id: str | None,
    work: Callable[[Mapping[str, JsonValue] | None], AnyResult], nothing: AnyResult,
) -> AnyResult:  # fmt: skip
    """Does the work of a tool that changes no memory, or queues it where the call has no time for all of it.

    `work` is given what `OutOfTime` told was done before; `nothing` is the answer where nothing is done yet. With `run_id`
    the run is told. Raises `CONFLICT` where it is to be queued and another run is at work.
    """
    if context.caller.goes_on is not None:
        return _told(_worked_on(kept_run(kind, context.caller.goes_on, context), request, context, work), nothing)
    if run_id is not None:
        return _told(kept_run(kind, run_id, context), nothing)
    try:
        return work(None)
    except OutOfTime as stopped:
        with leased(context) as lease:
            run = queued(new_run(kind, context), request, stopped.so_far, context, lease)
    context.hand_over(run)
    return _told(run, nothing)


def _told(run: Run, nothing: AnyResult) -> AnyResult:
    """The result of a run's work once that is done, until then how far it is."""
    if run.status == "done":
        return type(nothing).model_validate({"run_id": run.run_id, **(run.result or {})})
    notes = Notes(warnings=[run.error]) if run.error else None
    told = {"run_id": run.run_id, "status": run.told_status, "progress": run.progress, "notes": notes}
    return nothing.model_copy(update=told)


def _worked_on(
    run: Run, request: Request, context: RunContext, work: Callable[[Mapping[str, JsonValue] | None], AnyResult]
) -> Run:
    with leased(context) as lease:
        run = taken_up(kept_run(run.kind, run.run_id, context), context, lease)
        if run.status != "queued":
            return run
        try:
            with gathered() as flaws:
                result = work(run.result).naming(flaws)
        except OutOfTime as stopped:
            lease.renew()
            run = queued(run, request, stopped.so_far, context, lease)
        else:
            lease.renew()
            answer = result.model_dump(mode="json")
            run = _ended(run.model_copy(update={"status": "done", "result": answer}), context, lease)
    context.hand_over(run)
    return run


def _ended(run: Run, context: RunContext, lease: Lease) -> Run:
    run = run.model_copy(update={"finished_at": context.clock()})
    context.night.runs.save(run, lease.fence)
    context.night.parts.drop_parts(run.user_id, run.run_id)
    return run
