"""Report on runs with the texts of their memories. The texts are read from the records, because runs don't store them."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import accumulate

from commonplace.domain.batching import in_batches
from commonplace.domain.fields import Notes
from commonplace.domain.interactions import Discussion, Explicit, Interaction, ListedRuns, OperationReport, RunReport, Save
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Run, RunOperation
from commonplace.runs.apply import PlannedOperation, RunContext, parse_saved, review_part

_LONGEST = 300
_ERASED = "(erased)"
_BATCH = 1_000
MOST_BYTES = 4_000_000
"""The maximum size of a list of runs in bytes. An AWS function can return at most 6 MB, and a run may be large."""


def newest_that_fit(runs: Sequence[Run]) -> ListedRuns:
    """Return the newest runs that fit into one result, but at least one run. `runs` must be sorted newest first."""
    lengths = accumulate(len(run.model_dump_json().encode()) for run in runs)
    shown = runs[: max(1, sum(length <= MOST_BYTES for length in lengths))]
    left_out = len(runs) - len(shown)
    note = f"{left_out} older runs are left out: a list ends at {MOST_BYTES:,} bytes; get an older run by its id"
    return ListedRuns(runs=tuple(shown), notes=Notes(partial=note) if left_out else None)


def report(run: Run, context: RunContext) -> RunReport:
    """Report on a run. For each operation, list the added text, the closed texts and the user's words as evidence."""
    ids = {memory_id for operation in run.operations for memory_id in (operation.memory_id, *operation.closed) if memory_id}
    batches = in_batches(sorted(ids), _BATCH)
    memories = {memory.memory_id: memory for batch in batches for memory in context.ports.records.get(run.user_id, batch)}
    interaction_ids = dict.fromkeys(operation.interaction_id for operation in run.operations if operation.interaction_id)
    entries = context.night.ledger.entries(run.user_id, list(interaction_ids))
    texts = {entry.interaction_id: entry.interaction for entry in entries if entry.interaction is not None}
    return RunReport(
        run=run, operations=tuple(_report_operation(operation, memories, texts, run, context) for operation in run.operations)
    )


def report_plan(run: Run, operations: Sequence[PlannedOperation]) -> RunReport:
    """Report on operations that are planned but not applied."""
    return RunReport(run=run, operations=tuple(_report_planned(planned, planned.told) for planned in operations))


def _report_operation(
    operation: RunOperation, memories: Mapping[str, Memory], texts: Mapping[str, Interaction], run: Run, context: RunContext
) -> OperationReport:
    if operation.outcome == "needs_review":
        saved = context.night.parts.part(run.user_id, run.run_id, review_part(operation.operation_id))
        planned = parse_saved(PlannedOperation, saved)
        if planned is not None:
            return _report_planned(planned, operation)
    opened = memories.get(operation.memory_id or "")
    words = _find_message_text(texts.get(operation.interaction_id or ""), operation.position)
    return OperationReport(
        operation=operation,
        says=opened.content or _ERASED if opened else None,
        closed=_format_contents(memories[memory_id] for memory_id in operation.closed if memory_id in memories),
        rests_on=(opened.evidence if opened and opened.evidence else None) or words,
    )


def _report_planned(planned: PlannedOperation, operation: RunOperation) -> OperationReport:
    opened = planned.opens.memory if planned.opens else None
    return OperationReport(
        operation=operation,
        says=opened.content if opened else None,
        closed=_format_contents(change.before for change in planned.closes if change.before),
        rests_on=opened.evidence if opened else None,
    )


def _format_contents(memories: Iterable[Memory]) -> tuple[str, ...]:
    return tuple(memory.content or _ERASED for memory in memories)


def _find_message_text(interaction: Interaction | None, position: int | None) -> str | None:
    """Return up to 300 characters of the message at a position, or the text or title of another interaction, or None."""
    if interaction is None:
        return None
    if isinstance(interaction, Discussion):
        at = position or 0
        return interaction.messages[at].content[:_LONGEST] if at < len(interaction.messages) else None
    if isinstance(interaction, Explicit):
        return interaction.text[:_LONGEST]
    return interaction.post_title if isinstance(interaction, Save) else interaction.title
