"""Applies edited pages to the record, as a run: previewed first, then applied, and undone like any other run."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.flaws import gathered
from commonplace.domain.ids import new_run_id
from commonplace.domain.interactions import RunReport
from commonplace.domain.runs import Run
from commonplace.pages.difference import differences, read_record
from commonplace.pages.page import Page, is_page, owner_hash
from commonplace.pages.planning import KNOWN, PagePlanner, Step
from commonplace.pages.publishing import publish, write_pages
from commonplace.pages.reading import parse
from commonplace.ports.pages import Pages
from commonplace.runs import report
from commonplace.runs.apply import RunContext
from commonplace.runs.limits import most_deletions
from commonplace.runs.plan import Plan
from commonplace.runs.resume import apply_plan, exclusive_lease

_DRY = "a dry run: nothing was changed"
_THE_SAME = "the pages say what is remembered"


@dataclass(frozen=True)
class _PageChanges:
    """The changes found on the pages. `texts`: each page as it was read; `memories`: how many there are."""

    run: Run
    pages: Sequence[Page]
    texts: Mapping[str, str]
    steps: Sequence[Step]
    memories: int

    @property
    def deletions(self) -> int:
        return sum(step.difference.kind == "remove" for step in self.steps)

    def fully_applied(self, run: Run) -> dict[str, str]:
        """The pages of which everything was applied and which may be rewritten if nobody has edited them since."""
        ends = {reported.operation_id: reported.outcome for reported in run.operations}
        left = {step.difference.page.name for step in self.steps if _is_left_aside(step, ends)}
        return {page.name: self.texts[page.name] for page in self.pages if page.name not in left and not page.unread}


def compare_pages(pages: Pages, context: RunContext) -> RunReport:
    """Previews what the pages would change; nothing is written."""
    found = _find_changes(pages, context)
    notes = [*found.run.notes, _DRY if found.steps else _THE_SAME]
    if found.deletions > most_deletions(found.memories):
        notes.append(_too_many(found))
    return _report(found, notes, context)


def apply_pages(pages: Pages, context: RunContext, delete_many: bool = False) -> RunReport:
    """Applies the changes and rewrites the pages. `delete_many`: also if more entries are gone than max(3, 5 %).

    Without it that many are an `INVALID_ARGUMENT`, and nothing is changed. `CONFLICT` while another run is at work.
    """
    with exclusive_lease(context) as lease:
        found = _find_changes(pages, context)
        if found.deletions > most_deletions(found.memories) and not delete_many:
            raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"delete_many: {_too_many(found)}", "delete_many")
        run, planned = found.run, [step.planned for step in found.steps]
        changes = any(one.told.outcome == "planned" for one in planned)
        if changes:
            run = apply_plan(run, Plan(operations=tuple(planned)), context, lease)
        write_pages(pages, context.caller, context.ports, taken_over=found.fully_applied(run))
        if changes:
            trouble = publish(run, context)
            if trouble is not None:
                run = run.model_copy(update={"notes": (*run.notes, trouble)})
                context.night.runs.save(run, lease.fence)
            return report.report(run, context)
    return _report(found, [*run.notes, *([] if found.steps else [_THE_SAME])], context)


def _find_changes(pages: Pages, context: RunContext) -> _PageChanges:
    caller, notes, read, texts = context.caller, list[str](), list[Page](), dict[str, str]()
    for name in filter(is_page, pages.names()):
        text = pages.read(name) or ""
        page = parse(name, text)
        if page is None or page.owner != owner_hash(caller.user_id):
            notes.append(f"{name} is no page of this memory and was not read")
            continue
        read.append(page)
        texts[name] = text
        if not page.whole:
            notes.append(f"{name} has lost its last line: what is missing on it is not taken out")
        if page.unread:
            lines = ", ".join(map(str, page.unread))
            notes.append(f"{name}: no entries, and not read, are the lines {lines}")
    if not read and not notes:
        raise CommonplaceError(ErrorCode.NOT_FOUND, "dir: holds no page of this memory", "dir")
    with gathered() as flaws:
        record = read_record(caller, context.ports)
    notes += [flaws.note] if flaws.note else []
    planner = PagePlanner(record, caller, context.ports)
    steps = planner.steps(differences(read, record))
    notes += [f"taken out, as secrets are never kept: {', '.join(planner.redacted)}"] if planner.redacted else []
    run = Run(
        run_id=new_run_id(caller.now),
        user_id=context.user_id,
        kind="markdown",
        date=caller.now.date(),
        notes=tuple(notes),
        started_at=caller.now,
    )
    return _PageChanges(run, read, texts, steps, len(record.current))


def _is_left_aside(step: Step, ends: Mapping[str, str]) -> bool:
    reported = step.planned.told
    refused = reported.kind == "NOOP" and not reported.why.endswith(KNOWN)
    return refused or ends.get(reported.operation_id, reported.outcome) == "lost"


def _too_many(found: _PageChanges) -> str:
    most = most_deletions(found.memories)
    return f"{found.deletions} of {found.memories} entries were taken out; more than {most} must be allowed"


def _report(found: _PageChanges, notes: Sequence[str], context: RunContext) -> RunReport:
    operations = [step.planned for step in found.steps]
    ended = {"status": "done", "finished_at": context.clock(), "notes": tuple(notes)}
    run = found.run.model_copy(update={**ended, "operations": tuple(one.told for one in operations)})
    return report.report_plan(run, operations)
