"""Importing the records of an export: each under its own id, with its version and its links; what is here stays."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from commonplace.domain.errors import CommonplaceError, of_type
from commonplace.domain.fields import Notes
from commonplace.domain.flaws import gathered
from commonplace.domain.imports import ImportedRecords, LeftOutRecord
from commonplace.domain.runs import Run
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases.import_plan import Given, ImportPlan
from commonplace.use_cases.record_check import checked_record

Progress = Callable[[int, int], None]
_LOST = "conflict: the id, the key or the place was taken meanwhile, or the id is of another user"


def import_records(
    records: Sequence[Mapping[str, Any]], caller: Caller, ports: Ports, apply: bool = False, progress: Progress | None = None
) -> ImportedRecords:
    """Tells what an import of exported records would store, or stores it as a run, which can be undone.

    A malformed one is an error that names it, before anything is stored. They become the caller's, whoever they were of;
    secrets are taken out, and vectors computed again. `progress` is called with how many of how many are stored.
    """
    of_type(bool, apply, "apply")
    kinds: dict[str, None] = {}
    with gathered() as given_flaws:
        checked = [_check(given, number, caller, kinds) for number, given in enumerate(records)]
    with gathered() as flaws:
        plan, run = _stored(checked, caller, ports, progress) if apply else (ImportPlan.of(checked, caller, ports), None)
    lost = [one for one in run.operations if one.outcome == "lost" and one.kind == "ADD"] if run else []
    missing = {one.memory_id for one in lost}
    stored = [one.memory for one in plan.new if one.memory.memory_id not in missing]
    left_out = [
        LeftOutRecord(record=one.given.number, memory_id=one.given.memory.memory_id, why=f"{one.why}: {one.message}")
        for one in plan.left_out
    ]
    left_out += [LeftOutRecord(record=one.position or 0, memory_id=str(one.memory_id), why=_LOST) for one in lost]
    done = ImportedRecords(
        run_id=run.run_id if run and run.operations else None,
        applied=apply,
        stored=[memory.memory_id for memory in stored],
        closed=sum(memory.status != "active" for memory in stored),
        known=[one.memory.memory_id for one in plan.known],
        left_out=left_out,
        held=given_flaws.held,
        notes=Notes(redacted=list(kinds)) if kinds else None,
    )
    return done.naming(flaws)


def _stored(checked: Sequence[Given], caller: Caller, ports: Ports, progress: Progress | None) -> tuple[ImportPlan, Run]:
    from commonplace.pages.publishing import publish
    from commonplace.runs.apply import Plan, RunContext
    from commonplace.runs.staging import change_many, run_context

    plans: list[ImportPlan] = []

    def planner(_: RunContext) -> Plan:
        plans.append(ImportPlan.of(checked, caller, ports))
        return Plan(operations=plans[-1].operations(caller, ports), candidates=len(checked))

    told = change_many("import", planner, run_context(caller, ports, progress), dry_run=False, publish=publish)
    return plans[-1], told.run


def _check(given: Mapping[str, Any], number: int, caller: Caller, kinds: dict[str, None]) -> Given:
    try:
        return Given(number, *checked_record(given, caller.user_id, kinds))
    except CommonplaceError as error:
        where = f"records.{number}"
        field = ".".join(filter(None, (where, error.field)))
        raise CommonplaceError(error.code, f"{where}: {error.message}", field) from None
