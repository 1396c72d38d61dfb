"""Restore the other sources of a merged memory when one is erased. These sources are merged again or reopened one by one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.ids import new_operation_id
from commonplace.domain.maintenance import MOST_SOURCES
from commonplace.domain.memory import Memory
from commonplace.domain.runs import RunOperation
from commonplace.memories.lineage import UNMERGED
from commonplace.memories.tag_names import own_names
from commonplace.memories.transitions import are_unchanged, deleted
from commonplace.ports.values import Audit, Change, Operation, Stored
from commonplace.runs.apply import Lease
from commonplace.use_cases.merge_plan import Sources

_WHY = "one of the memories that were merged was erased"
_AS_BEFORE = {"status": "active", "superseded_by": None, "valid_to": None}
_HEADINGS = ("category", "section", "durability")
_CORRECTED = ("memory_type", "importance", "expires_at", "purge_at")


@dataclass(frozen=True)
class Unmerge:
    """The remaining sources (`left`) of `merged` memories. They are restored in place of the merged memories."""

    left: Sequence[Memory]
    merged: Sequence[Memory]
    lease: Lease

    def make(self) -> tuple[str, ...]:
        """Close the merged memories and merge the remaining sources again, or reopen them separately if they can't be merged.

        Returns the ids of the new or reopened memories. Each operation is added to the run of the merge, so that undoing the
        run reverts both. A source stays closed if an active memory has the same words. The call may be repeated after a
        crash. Raises `CONFLICT` if a memory changes concurrently.
        """
        sources = self._load_sources()
        begun = all(memory.status == "deleted" for memory in self.merged)  # some sources have already been reopened
        joins = MOST_SOURCES >= len(self.left) > 1 and not begun and sources.refusal is None
        operations = [self._join_sources(sources)] if joins else list(self._reopen_sources(sources))
        run_id = self._find_run_id()
        operations = [replace(operation, run_id=run_id) for operation in operations]
        self._save_in_run(operations, run_id)
        return tuple(
            operation.opens.memory.memory_id for operation in operations if operation.opens and self._try_to_apply(operation)
        )

    def _load_sources(self) -> Sources:
        """Return the remaining sources as active memories, as before the merge. The caller gets the agent of the sources."""
        context = self.lease.context
        caller = replace(context.caller, agent_id=self.left[0].agent_id)
        records = context.ports.records.stored(caller.user_id, [memory.memory_id for memory in self.left])
        before = (Stored(record.memory.model_copy(update=_AS_BEFORE), record.vector) for record in records)
        return Sources.of(before, caller, context.ports)

    def _join_sources(self, sources: Sources) -> Operation:
        """Build the operation that merges the remaining sources, with the headings and corrected labels of the old merge."""
        now, context = self.lease.context.caller.now, self.lease.context
        planned = sources.planned(_WHY)
        operation_id = planned.told.operation_id
        assert planned.opens is not None
        opens = planned.opens.change(now)
        head = max(self.merged, key=lambda memory: memory.status == "active")
        audits = context.ports.records.audits(head.user_id, head.memory_id)
        stays = (*_HEADINGS, *(_CORRECTED if any(audit.operation == "correct" for audit in audits) else ()))
        labels = {name: getattr(head, name) for name in stays}
        tags = own_names(opens.memory.tags, head.user_id, context.ports)
        new = opens.memory.model_copy(update={**labels, "tags": tags})
        audit = Audit("supersede", now, {"by": new.memory_id, "operation_id": operation_id})
        links = [Change(memory.next_version(now, superseded_by=new.memory_id), audit, before=memory) for memory in self.left]
        return self._build_operation(operation_id, replace(opens, memory=new), (*self._close_merged(operation_id), *links))

    def _reopen_sources(self, sources: Sources) -> Iterator[Operation]:
        """Yield an operation for each source. The first also closes the merged memories."""
        closed = {memory.memory_id: memory for memory in self.left}
        for number, memory in enumerate(sources.memories):
            operation_id = new_operation_id(self.lease.context.caller.now)
            audit = Audit("reopen", self.lease.context.caller.now, {"operation_id": operation_id})
            opens = Change(memory.next_version(audit.at), audit, before=closed[memory.memory_id])
            yield self._build_operation(operation_id, opens, () if number else tuple(self._close_merged(operation_id)))

    def _build_operation(self, operation_id: str, opens: Change, closes: tuple[Change, ...]) -> Operation:
        caller = self.lease.context.caller
        return Operation(operation_id, caller.user_id, "UPDATE", caller.now, opens, closes)

    def _close_merged(self, operation_id: str) -> Iterator[Change]:
        """Yield changes that close the merged memories and remove links through which an erasure would reach the sources."""
        now = self.lease.context.caller.now
        audit = Audit("delete", now, {"operation_id": operation_id, UNMERGED: True})
        for memory in self.merged:
            if memory.status != "deleted":
                yield Change(deleted(memory, now).model_copy(update={"supersedes": None}), audit, before=memory)

    def _try_to_apply(self, operation: Operation) -> bool:
        """Apply the operation. If a memory with the same words exists, only close the merged memories, and return False."""
        self.lease.renew()
        ports = self.lease.context.ports
        try:
            ports.operations.apply(operation, self.lease.fence)
        except CommonplaceError as error:
            read = [change.before for change in operation.changes if change.before]
            if error.code is not ErrorCode.CONFLICT or not are_unchanged(operation.user_id, read, ports):
                raise
            closes = tuple(change for change in operation.closes if change.memory.status == "deleted")
            ports.operations.apply(replace(operation, opens=None, closes=closes), self.lease.fence)
            return False
        return True

    def _find_run_id(self) -> str | None:
        """Return the id of the run that merged the sources. Several merges or an unknown operation give None."""
        if len(self.merged) > 1:
            return None
        ports, memory = self.lease.context.ports, self.left[0]
        audits = ports.records.audits(memory.user_id, memory.memory_id)
        made = [
            str(audit.detail.get("operation_id")) for audit in audits if audit.detail.get("by") == self.merged[0].memory_id
        ]
        applied = ports.operations.applied(memory.user_id, made[-1]) if made else None
        return applied.run_id if applied else None

    def _save_in_run(self, operations: Sequence[Operation], run_id: str | None) -> None:
        """Add the operations to the run, before they are applied. An undo skips operations that were never applied."""
        runs = self.lease.context.night.runs
        run = runs.get(self.left[0].user_id, run_id) if run_id else None
        if run is not None:
            reported = tuple(_build_run_operation(operation) for operation in operations)
            runs.save(run.model_copy(update={"operations": (*run.operations, *reported)}), self.lease.fence)


def _build_run_operation(operation: Operation) -> RunOperation:
    closed = tuple(change.memory.memory_id for change in operation.closes if change.memory.status != "deleted")
    return RunOperation(
        operation_id=operation.operation_id, kind="UPDATE", outcome="applied", closed=closed, why=_WHY,
        memory_id=operation.opens.memory.memory_id if operation.opens else None,
    )  # fmt: skip
