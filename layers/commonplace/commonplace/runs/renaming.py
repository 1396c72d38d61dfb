"""What a run of tags leaves beside the memories: under which name a tag goes on; kept, taken back, and forgotten."""

from collections.abc import Collection
from datetime import datetime

from commonplace.domain.runs import Run, TagRow
from commonplace.runs.apply import Lease, RunContext


def keep_renamed(run: Run, context: RunContext, lease: Lease) -> None:
    """Keeps under which names the tags of a run go on; an older name of one leads on to the newest. Safe to repeat."""
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
    """Takes the names of a run back that is undone. Safe to repeat."""
    rows = context.ports.tag_rows
    found = rows.rows(run.user_id)
    left = {tag: row for tag, row in found.items() if row.run_id != run.run_id}
    if left != found:
        rows.replace(run.user_id, left, lease.fence)


def forget_unused_names(forgotten: Collection[str], context: RunContext, lease: Lease) -> None:
    """Drops the names that lead to no tag of a memory but the forgotten ones: they are words of what is erased."""
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
    """When each tag was first and last given to a memory, as far as these are kept, closed ones too."""
    found: dict[str, tuple[datetime, datetime]] = {}
    for memory in context.ports.records.all(context.user_id):
        for tag in memory.tags if memory.content else ():
            first, last = found.get(tag, (memory.created_at, memory.created_at))
            found[tag] = min(first, memory.created_at), max(last, memory.created_at)
    return found
