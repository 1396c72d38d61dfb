"""Finish a run. This erases forgotten texts and their quotes, marks interactions in the ledger, and stores tag renames."""

import logging
from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import datetime

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import EARLIEST
from commonplace.domain.interactions import ErasedPlace, texts_of
from commonplace.domain.memory import Memory
from commonplace.domain.runs import LEFT_IN_LOG, Run, RunOperation, TagRow
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
"""How many of the newest runs are searched for the words of a memory."""
_BATCH = 100  # interactions per read from the ledger, limited because their texts may be long
_MOST_FAILURES = 3  # the maximum number of failed runs per interaction
_log = logging.getLogger("commonplace")


def erase_forgotten(run: Run, context: RunContext, lease: Lease) -> Run:
    """Erase the source texts of forgotten memories and all quotes from these texts. Returns the run without quotes."""
    forgetting = _list_applied_forgets(run)
    if not forgetting:
        return run
    forgotten = {memory_id for operation in forgetting for memory_id in operation.closed}
    requests = {operation.interaction_id for operation in forgetting if operation.interaction_id} | {
        erase for operation in forgetting for erase in operation.erases
    }
    rested = _find_evidence_ids(run, forgotten)
    sources, _ = erase_sources(forgotten, requests | rested, context, lease, at_work=run.run_id)
    return _remove_quotes(run, forgotten, sources)


def with_unread(run: Run, context: RunContext, wait: bool = True) -> Run:
    """Return the run, with a note if a log file still contains forgotten text. The note is for answers and never stored."""
    if not _list_applied_forgets(run) or context.night.finish_erasing(wait):
        return run
    return run.model_copy(update={"notes": (*run.notes, LEFT_IN_LOG)})


def erase_sources(
    forgotten: set[str], sources_named: set[str], context: RunContext, lease: Lease, at_work: str | None = None,
    merged: Collection[str] = (),
) -> tuple[set[str], set[ErasedPlace]]:  # fmt: skip
    """Erase the interactions that support or repeat forgotten memories, those in `sources_named`, and quotes in runs.

    `at_work` is the id of a run that the caller updates itself. `merged` contains the ids of merged memories, which share
    the session of a source. All exports and uploads of the user are deleted, backups are rewritten, and queued runs fail.
    Returns the erased interactions and the stores where anything was erased. The call is safe to repeat.
    """
    files, user_id, places = context.ports.files, context.user_id, set[ErasedPlace]()
    if files is not None:
        for kind, place in _FILES:  # an export or upload may contain the words and is easy to make again
            places |= {place} if files.listed(user_id, kind, EARLIEST) else set()
            files.delete_all(user_id, kind)
        places |= {"backups"} if forget_in_backups(files, user_id, forgotten) else set()
    erased = context.ports.records.get(user_id, sorted(forgotten))
    cut = forget_in_documents(forgotten, erased, user_id, context.caller.now, context.ports.documents)
    places |= {"documents"} if cut else set()
    memories = [memory for memory in erased if memory.memory_id not in merged]
    runs = context.night.runs.newest(user_id, RUNS_WITH_WORDS)
    rested = {evidence_interaction for run in runs for evidence_interaction in _find_evidence_ids(run, forgotten)}
    sources = {memory.session_id for memory in memories if memory.session_id} | sources_named | rested
    sources |= _find_repetitions(erased, runs, context)
    entries = context.night.ledger.entries(user_id, sorted(sources))
    places |= {"interactions"} if any(entry.interaction is not None for entry in entries) else set()
    context.night.ledger.erase_texts(user_id, sorted(sources))
    for run in runs:
        if run.status == "queued":
            failed(run, _MAY_HOLD_IT, context, lease)
            places.add("runs")
            continue
        cleaned = _remove_quotes(run, forgotten, sources)
        if cleaned != run and run.run_id != at_work:
            context.night.runs.save(cleaned, lease.fence)
            waits = [review_part(step.operation_id) for step in cleaned.operations if step.outcome == "needs_review"]
            context.night.parts.drop_parts(user_id, run.run_id, waits)
            places.add("runs")
    forget_unused_names(forgotten, context, lease)
    return sources, places


def recorded_entries(runs: Sequence[Run], context: RunContext) -> Iterator[tuple[LedgerEntry, list[str]]]:
    """Yield the ledger entries of interactions that runs have read, each with the texts that are still stored."""
    ids = dict.fromkeys(interaction_id for run in runs for interaction_id in run.interactions)
    for few in in_batches(ids, _BATCH):
        for entry in context.night.ledger.entries(context.user_id, few):
            yield entry, texts_of(entry.interaction) if entry.interaction else []


def _find_repetitions(forgotten: Sequence[Memory], runs: Sequence[Run], context: RunContext) -> set[str]:
    """Return the ids of interactions that repeat a forgotten memory: all content words of one of the memory's sentences.

    A nightly run links no memory to an interaction that repeats it. A single content word must be the only one in both.
    """
    from commonplace.extraction.changes.statements import memory_sentences  # deferred, because listing runs doesn't need it
    from commonplace.extraction.clauses import sentences
    from commonplace.extraction.content_words import stems_of

    stated = [stems_of(sentence) - {"user"} for memory in forgotten for sentence in memory_sentences(memory.content)]

    def is_repetition(text: str) -> bool:
        said = stems_of(text)
        return any(stems and (stems == said or (len(stems) > 1 and stems <= said)) for stems in stated)

    return {
        entry.interaction_id
        for entry, texts in (recorded_entries(runs, context) if any(stated) else ())
        if any(is_repetition(part.text) for text in texts for part in sentences(text))
    }


def _list_applied_forgets(run: Run) -> list[RunOperation]:
    return [operation for operation in run.operations if operation.kind == "FORGET" and operation.outcome == "applied"]


def _find_evidence_ids(run: Run, forgotten: set[str]) -> set[str]:
    """Return the ids of the interactions that support the forgotten memories in a run."""
    return {source for operation in run.operations if operation.memory_id in forgotten for source in operation.rests_on}


def _remove_quotes(run: Run, forgotten: set[str], sources: set[str]) -> Run:
    """Remove quotes of erased texts from a run. Reasons may quote texts, and operations in review contain whole memories."""
    operations = tuple(_remove_words(operation, forgotten, sources) for operation in run.operations)
    dropped = tuple(
        item.model_copy(update={"why": _ERASED}) if item.interaction_id in sources else item for item in run.dropped
    )
    waits = any(operation.outcome == "needs_review" for operation in operations)
    status = "done" if run.status == "needs_review" and not waits else run.status
    named = {} if operations == run.operations else {"tags": (), "archived": (), "result": None}  # tags come from memories
    return run.model_copy(update={"operations": operations, "dropped": dropped, "status": status, **named})


def _remove_words(operation: RunOperation, forgotten: set[str], sources: set[str]) -> RunOperation:
    """Replace an operation's reason if the operation concerns erased texts, and discard the operation if it is in review."""
    is_repetition = operation.kind == "NOOP" and operation.interaction_id in sources
    if operation.kind == "FORGET" or not (is_repetition or forgotten & {*operation.closed, operation.memory_id}):
        return operation
    outcome = "discarded" if operation.outcome == "needs_review" else operation.outcome
    return operation.model_copy(update={"why": _ERASED, "outcome": outcome})


def close(run: Run, entries: Sequence[LedgerEntry], context: RunContext, lease: Lease) -> Run:
    """Close a completed run. The run is saved as finished first and closed last, so that a crashed call can be repeated."""
    runs = context.night.runs
    if run.finished_at is None:
        run = run.model_copy(update={"finished_at": context.clock()})
        runs.save(run, lease.fence)
    run = erase_forgotten(run, context, lease)
    waiting = operations_in_review(run)
    context.night.parts.drop_parts(run.user_id, run.run_id, [review_part(operation_id) for operation_id in waiting])
    ended: dict[str, object] = {"status": "needs_review" if waiting else "done", "error": None}
    if run.interactions and not run.operations and set(run.interactions) <= set(run.unread):
        ended = {"status": "failed", "error": "nothing could be read; the interactions stay pending"}
    closed = run.model_copy(update=ended)
    runs.close(closed, _mark_interactions(run, entries), lease.fence)
    context.night.ledger.drop_texts(run.user_id, context.clock(), context.night.text_retention)
    return closed


def operations_in_review(run: Run) -> list[str]:
    """Return the ids of the run's operations that are waiting for review."""
    return [operation.operation_id for operation in run.operations if operation.outcome == "needs_review"]


def _mark_interactions(run: Run, entries: Collection[LedgerEntry]) -> Mapping[str, LedgerMark]:
    """Return the ledger marks of the run's interactions, except those that a crashed attempt has already marked."""
    unread, marks = set(run.unread), dict[str, LedgerMark]()
    for entry in (entry for entry in entries if entry.run_id != run.run_id):
        failures = entry.failures + (entry.interaction_id not in run.stopped)
        if entry.state == "pending" and entry.interaction is None:  # the text is lost, so a retry would fail too
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
    """Store the tag renames and archived tags of a run, with the dates of first and last use. The call is safe to repeat.

    Call it before the memories change, because they give the dates. A repeated call keeps the dates that are stored.
    """
    rows = context.ports.tag_rows
    if not (run.tags or run.archived):
        return
    known = rows.rows(run.user_id)
    stored = {tag: (row.first_used, row.last_used) for tag, row in known.items() if row.run_id == run.run_id}
    used = {**_compute_tag_spans(context), **stored}
    archived = {tag: row for tag, row in known.items() if tag not in {merge.into for merge in run.tags}}
    for tag in run.archived:
        first, last = used.get(tag, (None, None))
        archived[tag] = TagRow(status="archived", run_id=run.run_id, count=0, first_used=first, last_used=last)
    for merge in run.tags:
        first, last = used.get(merge.tag, (None, None))
        archived[merge.tag] = TagRow(
            status="merged", run_id=run.run_id, count=merge.memories, first_used=first, last_used=last, into=merge.into
        )
    rows.replace(run.user_id, archived, lease.fence)


def drop_renamed(run: Run, context: RunContext, lease: Lease) -> None:
    """Remove the tag renames of an undone run. The call is safe to repeat."""
    rows = context.ports.tag_rows
    tag_rows = rows.rows(run.user_id)
    left = {tag: row for tag, row in tag_rows.items() if row.run_id != run.run_id}
    if left != tag_rows:
        rows.replace(run.user_id, left, lease.fence)


def forget_unused_names(forgotten: Collection[str], context: RunContext, lease: Lease) -> None:
    """Drop the tag renames that only erased memories used, because a tag may contain words from a memory."""
    rows = context.ports.tag_rows
    tag_rows = rows.rows(context.user_id)
    if not tag_rows:
        return
    left_over = (memory for memory in context.ports.records.all(context.user_id) if memory.memory_id not in forgotten)
    carried = {tag for memory in left_over for tag in memory.tags}
    left = {tag: row for tag, row in tag_rows.items() if (row.into or tag) in carried}
    if left != tag_rows:
        rows.replace(context.user_id, left, lease.fence)


def _compute_tag_spans(context: RunContext) -> dict[str, tuple[datetime, datetime]]:
    spans: dict[str, tuple[datetime, datetime]] = {}
    for memory in context.ports.records.all(context.user_id):
        for tag in memory.tags if memory.content else ():
            first, last = spans.get(tag, (memory.created_at, memory.created_at))
            spans[tag] = min(first, memory.created_at), max(last, memory.created_at)
    return spans
