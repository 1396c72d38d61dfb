"""Ends a run: erases forgotten texts and their quotes, marks the ledger, and stores tag renames."""

import logging
from collections.abc import Collection, Mapping, Sequence
from datetime import datetime

from commonplace.domain.fields import EARLIEST
from commonplace.domain.interactions import ErasedPlace
from commonplace.domain.runs import LEFT_IN_LOG, Run, RunOperation, RunStatus, TagRow
from commonplace.domain.transfer import FileKind
from commonplace.memories.document_words import forget_in_documents
from commonplace.ports.night import LedgerEntry, LedgerMark
from commonplace.runs.apply import Lease, RunContext, review_part
from commonplace.runs.backup_file import forget_in_backups
from commonplace.runs.queueing import failed

_ERASED = "(erased)"
_FILES: tuple[tuple[FileKind, ErasedPlace], ...] = (("export", "exports"), ("upload", "uploads"))
_MAY_HOLD_IT = "something was erased before a worker had begun with it; ask for it again"
RUNS_WITH_WORDS = 200
"""The newest runs, which may contain words of a memory, in themselves or in their interactions."""
_MOST_FAILURES = 3  # failed runs per interaction
_log = logging.getLogger("commonplace")


def erase_forgotten(run: Run, context: RunContext, lease: Lease) -> Run:
    """Erase the texts and quotes behind forgotten memories. Returns the run without these words. Safe to repeat."""
    forgetting = _forgetting(run)
    if not forgetting:
        return run
    forgotten = {memory_id for one in forgetting for memory_id in one.closed}
    requests = {one.interaction_id for one in forgetting if one.interaction_id} | {
        said for one in forgetting for said in one.erases
    }
    rested = _evidence_interactions(run, forgotten)
    sources, _ = erase_sources(forgotten, requests | rested, context, lease, at_work=run.run_id)
    return _without_quotes(run, forgotten, sources)


def with_what_is_left(run: Run, context: RunContext, wait: bool = True) -> Run:
    """Return the run for the answer: with a note while forgotten words are still in a log file. The note is never stored."""
    if not _forgetting(run) or context.night.finish_erasing(wait):
        return run
    return run.model_copy(update={"notes": (*run.notes, LEFT_IN_LOG)})


def erase_sources(
    forgotten: set[str], said: set[str], context: RunContext, lease: Lease, at_work: str | None = None,
    merged: Collection[str] = (),
) -> tuple[set[str], set[ErasedPlace]]:  # fmt: skip
    """Erase the texts of interactions behind memories and of those in `said`, quotes of them in runs, and files.

    `at_work`: a run that the caller updates itself. `merged`: forgotten memories made from others, whose session is the
    session of one of these. All exports and uploads of the user are deleted, as any may contain the words; backups are
    rewritten, and queued runs fail. Returns the erased interactions and the places where anything was erased. Safe to repeat.
    """
    files, user_id, places = context.ports.files, context.user_id, set[ErasedPlace]()
    if files is not None:
        for kind, place in _FILES:  # an export or upload may contain the words, and is easily made again
            places |= {place} if files.listed(user_id, kind, EARLIEST) else set()
            files.delete_all(user_id, kind)
        places |= {"backups"} if forget_in_backups(files, user_id, forgotten) else set()
    found = context.ports.records.get(user_id, sorted(forgotten))
    cut = forget_in_documents(forgotten, found, user_id, context.caller.now, context.ports.documents)
    places |= {"documents"} if cut else set()
    memories = [one for one in found if one.memory_id not in merged]
    runs = context.night.runs.newest(user_id, RUNS_WITH_WORDS)
    rested = {one for run in runs for one in _evidence_interactions(run, forgotten)}
    sources = {memory.session_id for memory in memories if memory.session_id} | said | rested
    told = context.night.ledger.entries(user_id, sorted(sources))
    places |= {"interactions"} if any(one.interaction is not None for one in told) else set()
    context.night.ledger.erase_texts(user_id, sorted(sources))
    for run in runs:
        if run.status == "queued":
            failed(run, _MAY_HOLD_IT, context, lease)
            places.add("runs")
            continue
        cleaned = _without_quotes(run, forgotten, sources)
        if cleaned != run and run.run_id != at_work:
            context.night.runs.save(cleaned, lease.fence)
            waits = [review_part(one.operation_id) for one in cleaned.operations if one.outcome == "needs_review"]
            context.night.parts.drop_parts(user_id, run.run_id, waits)
            places.add("runs")
    forget_unused_names(forgotten, context, lease)
    return sources, places


def _forgetting(run: Run) -> list[RunOperation]:
    return [one for one in run.operations if one.kind == "FORGET" and one.outcome == "applied"]


def _evidence_interactions(run: Run, forgotten: set[str]) -> set[str]:
    return {said for one in run.operations if one.memory_id in forgotten for said in one.rests_on}


def _without_quotes(run: Run, forgotten: set[str], sources: set[str]) -> Run:
    """Reasons may quote the texts, and operations in review contain whole memories."""
    operations = tuple(_without_words(one, forgotten) for one in run.operations)
    dropped = tuple(one.model_copy(update={"why": _ERASED}) if one.interaction_id in sources else one for one in run.dropped)
    waits = any(one.outcome == "needs_review" for one in operations)
    status = "done" if run.status == "needs_review" and not waits else run.status
    named = {} if operations == run.operations else {"tags": (), "archived": (), "result": None}  # tags are words of memories
    return run.model_copy(update={"operations": operations, "dropped": dropped, "status": status, **named})


def _without_words(operation: RunOperation, forgotten: set[str]) -> RunOperation:
    if operation.kind == "FORGET" or not forgotten & {*operation.closed, operation.memory_id}:
        return operation
    outcome = "discarded" if operation.outcome == "needs_review" else operation.outcome
    return operation.model_copy(update={"why": _ERASED, "outcome": outcome})


def close(run: Run, entries: Sequence[LedgerEntry], context: RunContext, lease: Lease) -> Run:
    """Close a completed run. Safe to repeat after a crash: it is saved as finished first, and closed last."""
    runs = context.night.runs
    if run.finished_at is None:
        run = run.model_copy(update={"finished_at": context.clock()})
        runs.save(run, lease.fence)
    run = erase_forgotten(run, context, lease)
    context.night.parts.drop_parts(run.user_id, run.run_id, [review_part(one) for one in operations_in_review(run)])
    closed = run.model_copy(update={"status": _status(run), "error": _error(run)})
    runs.close(closed, _marks(run, entries), lease.fence)
    context.night.ledger.drop_texts(run.user_id, context.clock(), context.night.texts_kept)
    return closed


def operations_in_review(run: Run) -> list[str]:
    """Return the ids of the run's operations that wait for review."""
    return [one.operation_id for one in run.operations if one.outcome == "needs_review"]


def _nothing_read(run: Run) -> bool:
    return bool(run.interactions) and not run.operations and set(run.interactions) <= set(run.unread)


def _status(run: Run) -> RunStatus:
    if _nothing_read(run):
        return "failed"
    return "needs_review" if operations_in_review(run) else "done"


def _error(run: Run) -> str | None:
    return "nothing could be read; the interactions stay pending" if _nothing_read(run) else None


def _marks(run: Run, entries: Collection[LedgerEntry]) -> Mapping[str, LedgerMark]:
    """A failure already counted by a crashed attempt isn't counted again, and stopping the run is no failure."""
    unread, marks = set(run.unread), dict[str, LedgerMark]()
    for entry in (one for one in entries if one.run_id != run.run_id):
        failures = entry.failures + (entry.interaction_id not in run.stopped)
        if entry.state == "pending" and entry.interaction is None:  # its text is lost for good
            marks[entry.interaction_id] = LedgerMark("failed", failures)
        elif entry.interaction_id not in unread:
            marks[entry.interaction_id] = LedgerMark("read", entry.failures)
        elif failures < _MOST_FAILURES:
            marks[entry.interaction_id] = LedgerMark("pending", failures)
        else:
            _log.error("an interaction failed %d runs and is given up; the last is %s", failures, run.run_id)
            marks[entry.interaction_id] = LedgerMark("failed", failures)
    return marks


def keep_renamed(run: Run, context: RunContext, lease: Lease) -> None:
    """Store the tag renames of a run; older names of a tag lead to the newest. Safe to repeat."""
    rows = context.ports.tag_rows
    if not (run.tags or run.archived):
        return
    used = _uses(context)
    found = {tag: row for tag, row in rows.rows(run.user_id).items() if tag not in {one.into for one in run.tags}}
    for tag in run.archived:
        first, last = used.get(tag, (None, None))
        found[tag] = TagRow(status="archived", run_id=run.run_id, count=0, first_used=first, last_used=last)
    for one in run.tags:
        first, last = used.get(one.tag, (None, None))
        found[one.tag] = TagRow(
            status="merged", run_id=run.run_id, count=one.memories, first_used=first, last_used=last, into=one.into
        )
    rows.replace(run.user_id, found, lease.fence)


def drop_renamed(run: Run, context: RunContext, lease: Lease) -> None:
    """Remove the tag renames of an undone run. Safe to repeat."""
    rows = context.ports.tag_rows
    found = rows.rows(run.user_id)
    left = {tag: row for tag, row in found.items() if row.run_id != run.run_id}
    if left != found:
        rows.replace(run.user_id, left, lease.fence)


def forget_unused_names(forgotten: Collection[str], context: RunContext, lease: Lease) -> None:
    """Drop tag renames that only erased memories used: they are words of these."""
    rows = context.ports.tag_rows
    found = rows.rows(context.user_id)
    if not found:
        return
    left_over = (one for one in context.ports.records.all(context.user_id) if one.memory_id not in forgotten)
    carried = {tag for memory in left_over for tag in memory.tags}
    left = {tag: row for tag, row in found.items() if (row.into or tag) in carried}
    if left != found:
        rows.replace(context.user_id, left, lease.fence)


def _uses(context: RunContext) -> dict[str, tuple[datetime, datetime]]:
    found: dict[str, tuple[datetime, datetime]] = {}
    for memory in context.ports.records.all(context.user_id):
        for tag in memory.tags if memory.content else ():
            first, last = found.get(tag, (memory.created_at, memory.created_at))
            found[tag] = min(first, memory.created_at), max(last, memory.created_at)
    return found
