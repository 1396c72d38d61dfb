"""Writes a record with its uniqueness markers, audit row and pending row in one transaction, and deletes rows.

A transaction can store several new entries. They are compared with existing memories only if the transaction is refused.
"""

import itertools
import json
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from datetime import datetime
from typing import Any

from commonplace.adapters.dynamodb.calls import MOST_ACTIONS, Calls, Refusal, key_of, partition_condition
from commonplace.adapters.dynamodb.ids import delete_aliases, erased_row, keep_erased
from commonplace.adapters.dynamodb.long_texts import names_from
from commonplace.adapters.dynamodb.rows import (
    FOUND,
    HOLDER,
    LAST_FOUND,
    VERSION,
    audit_item,
    audit_name,
    bytes_of,
    is_closed_or_expired,
    markers,
    memory_item,
    memory_name,
    memory_of,
    pending_name,
    purge_at,
    readable,
    used_name,
)
from commonplace.adapters.dynamodb.table import (
    ABSENT,
    AUDIT,
    CONTENT,
    KEY,
    OPERATION,
    PENDING,
    PURGE_AT,
    QUEUE,
    SINCE,
    Action,
    Item,
    queue_of,
)
from commonplace.adapters.dynamodb.usage import delete_feedback
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.memory import Memory
from commonplace.memories.transitions import without_words
from commonplace.memories.vectors import to_bytes
from commonplace.ports.values import AppliedChange, Audit, Change, Entry, Operation, Vector
from commonplace.retrieval.documents import fingerprint

_BYTES = 3_500_000  # a transaction is limited to 4 MB
_IS_HOLDER = f"#{HOLDER} = :holder"
_ERASED = json.dumps({"erased": True})


@dataclass(frozen=True)
class RowChange:
    """A change to a record. `before` is None for a new record."""

    memory: Memory
    vector: bytes | None
    audit: Audit
    before: Memory | None = None


@dataclass
class TransactionWrite:
    """A change to one record, with the markers that blocked earlier attempts to write it."""

    change: RowChange
    closes: tuple[RowChange, ...] = ()
    """Changes that close other memories in the same transaction."""
    archived: dict[str, RowChange] = field(default_factory=dict)
    """Changes that archive expired memories, by memory id."""
    stale: dict[str, str] = field(default_factory=dict)
    """Maps markers whose memory is gone or closed to the id of that memory."""
    foreign: set[str] = field(default_factory=set)
    """Markers that belonged to the changed memory and now belong to another memory."""

    def actions(self, since: datetime | None) -> list[Action]:
        """Return the write's actions. `since` is the time when the write becomes pending, or None without an index."""
        changes = [*self.closes, *self.archived.values(), self.change]
        rows = [action for change in changes for action in _build_row_actions(change, since)]
        return rows + self._build_marker_actions(changes)

    def _build_marker_actions(self, changes: Sequence[RowChange]) -> list[Action]:
        """Return the actions that delete, replace or add markers so that only the markers of `change` remain."""
        before = {name: old for change in changes if change.before for name, old in markers(change.before).items()}
        after = markers(self.change.memory)
        actions = []
        for name in (before.keys() - after.keys()) - self.foreign:
            actions.append(Action("Delete", before[name], f"{ABSENT} OR {_IS_HOLDER}", {":holder": before[name][HOLDER]}))
        for name, new in after.items():
            if name in self.stale:
                actions.append(Action("Put", new, _IS_HOLDER, {":holder": {"S": self.stale[name]}}))
            elif name not in before:
                actions.append(Action("Put", new, ABSENT))
            elif before[name] != new:
                actions.append(Action("Put", new, f"{ABSENT} OR {_IS_HOLDER}", {":holder": before[name][HOLDER]}))
        return actions


def batches_of(
    writes: Iterable[TransactionWrite], since: datetime | None
) -> Iterator[list[tuple[TransactionWrite, list[Action]]]]:
    """Yield batches of writes that each fit into a transaction. A write that archives memories is alone in its batch."""
    batch: list[tuple[TransactionWrite, list[Action]]] = []
    count = size = 0
    for write in writes:
        actions = write.actions(since)
        more = sum(action.size for action in actions)
        if batch and (count + len(actions) > MOST_ACTIONS or size + more > _BYTES or write.archived or batch[-1][0].archived):
            yield batch
            batch, count, size = [], 0, 0
        batch.append((write, actions))
        count, size = count + len(actions), size + more
    if batch:
        yield batch


def _build_row_actions(change: RowChange, pending_since: datetime | None) -> list[Action]:
    """Return the actions that write the record, its audit row, a new record's usage counts and the PENDING row."""
    memory, before = change.memory, change.before
    record, audit = memory_item(memory, change.vector), Action("Put", audit_item(memory, change.audit), ABSENT)
    if before is None:
        rows = [Action("Put", record, ABSENT), audit, *_build_initial_counts(memory)]
    else:
        rows = [Action("Put", record, f"#{VERSION} = :before", {":before": {"N": str(before.version)}}), audit]
    if pending_since is not None:
        rows.append(_build_pending_action(memory, pending_since))
    return rows


def _build_initial_counts(memory: Memory) -> list[Action]:
    if not memory.access_count:
        return []
    last = (memory.last_accessed or memory.created_at).isoformat()
    used = {FOUND: {"N": str(memory.access_count)}, LAST_FOUND: {"S": last}, **purge_at(memory)}
    return [Action("Put", {**key_of(memory.user_id, used_name(memory.memory_id)), **used})]


def purging(calls: Calls, memory: Memory, before: Memory | None) -> list[Action]:
    """Return updates that make a memory's other rows expire with its record. `before` is the memory's previous version."""
    if before is None or memory.purge_at == before.purge_at:
        return []
    goes, values = _build_purge_clause(memory)
    names = [used_name(memory.memory_id), *older_audits(calls, memory)]
    return [Action("Update", key_of(memory.user_id, name), change=goes, values=values) for name in names]


def _build_pending_action(memory: Memory, since: datetime) -> Action:
    """Return the update of a PENDING row. Its first `since` stays, so that changes can't hide how long it has waited."""
    goes, values = _build_purge_clause(memory)
    sets = f"#{VERSION} = :version, #{QUEUE} = :queue, #{SINCE} = if_not_exists(#{SINCE}, :since)"
    change = f"{goes}, {sets}" if goes.startswith("SET") else f"{goes} SET {sets}"
    whole = {
        ":version": {"N": str(memory.version)},
        ":queue": {"S": queue_of(PENDING, memory.memory_id)},
        ":since": {"N": str(round(since.timestamp() * 1000))},
        **values,
    }
    return Action("Update", key_of(memory.user_id, pending_name(memory.memory_id)), change=change, values=whole)


def _build_purge_clause(memory: Memory) -> tuple[str, dict[str, Any]]:
    """Return the update clause that sets or removes a memory's purge time, and the values in the clause."""
    goes = purge_at(memory)
    return (f"SET #{PURGE_AT} = :purge_at", {":purge_at": goes[PURGE_AT]}) if goes else (f"REMOVE #{PURGE_AT}", {})


def change_of(calls: Calls, memory: Memory, audit: Audit, vector: Vector | None) -> RowChange:
    """Return the change from the stored record to `memory`. Raises `NOT_FOUND`, or `CONFLICT` if another write came first."""
    item = calls.get_item(memory.user_id, memory_name(memory.memory_id))
    before = None if item is None else readable(item, memory_of)
    if item is None or before is None:
        raise CommonplaceError(ErrorCode.NOT_FOUND, f"no memory {memory.memory_id}")
    if before.version != memory.version - 1:
        raise version_conflict(memory)
    is_unchanged = (memory.content, memory.embedding_model) == (before.content, before.embedding_model)
    return RowChange(memory, bytes_of(item) if is_unchanged else to_bytes(vector), audit, before)


def older_audits(calls: Calls, memory: Memory) -> list[str]:
    """Return the sort keys of the audit rows for a memory's earlier versions."""
    names = names_from(calls, memory.user_id, f"{AUDIT}{memory.memory_id}#")
    return [name for name in names if name < audit_name(memory)]


def version_conflict(memory: Memory) -> CommonplaceError:
    """Return the error for a record that another write changed after it was read."""
    return CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} was changed meanwhile; read it again")


def forget(calls: Calls, user_id: str, memory_ids: Collection[str], hashed: bool = True) -> None:
    """Delete aliases, feedback and words of erased memories. If `hashed` is true, first store hashes of ids and aliases."""
    keep_erased(calls, user_id, memory_ids if hashed else ())
    delete_aliases(calls, user_id, memory_ids, hashed)
    delete_feedback(calls, user_id, memory_ids)
    for item in calls.rows(*partition_condition(user_id, OPERATION), ConsistentRead=True):
        cleaned = _remove_erased_words(item["told"]["S"], memory_ids)
        if cleaned is not None:
            calls.put({**item, "told": {"S": cleaned}})


def _remove_erased_words(report: str, erased: Collection[str]) -> str | None:
    """Return a report without the words of erased memories, None if nothing changes, or "{}" if it is damaged."""
    if not any(memory_id in report for memory_id in erased):
        return None
    try:
        parsed = json.loads(report)
        made = [AppliedChange(**change) for change in parsed["made"]]
    except (ValueError, KeyError, TypeError):  # the operation can't be undone, so its words aren't needed
        return "{}"
    left = [asdict(without_words(change) if change.memory_id in erased else change) for change in made]
    return json.dumps({**parsed, "made": left}) if left != parsed["made"] else None


def erasing(operation: Operation) -> Iterator[Action]:
    """Yield the actions that delete the counts of erased memories and store hashes of their ids."""
    for memory in [change.memory for change in operation.changes if change.erases]:
        yield Action("Delete", key_of(memory.user_id, used_name(memory.memory_id)))
        yield Action("Put", erased_row(memory.user_id, memory.memory_id))


def older_rows(calls: Calls, change: Change) -> Iterator[Action]:
    """Yield the updates that give a memory's older rows its new purge time. Audit rows of an erased memory lose details."""
    memory = change.memory
    if not change.erases:
        yield from purging(calls, memory, change.before)
        return
    goes = purge_at(memory)
    update = "SET #detail = :erased" + (f", #{PURGE_AT} = :purge_at" if goes else "")
    values = {":erased": {"S": _ERASED}, **({":purge_at": goes[PURGE_AT]} if goes else {})}
    yield from (
        Action("Update", key_of(memory.user_id, name), change=update, values=values) for name in older_audits(calls, memory)
    )


@dataclass(frozen=True)
class RefusedWrite:
    """A write that a transaction refused. `actions` pairs each refused action with the existing item."""

    write: TransactionWrite
    actions: Sequence[tuple[Action, Item]]


def refused_writes(batch: Iterable[tuple[TransactionWrite, list[Action]]], refusals: Iterable[Refusal]) -> list[RefusedWrite]:
    """Return the refused writes in a batch. The other writes can be repeated unchanged."""
    by_place = {refusal.place: refusal.item for refusal in refusals}
    refused_writes, start = [], 0
    for write, actions in batch:
        hit = [(action, by_place[start + at]) for at, action in enumerate(actions) if start + at in by_place]
        start += len(actions)
        if hit:
            refused_writes.append(RefusedWrite(write, hit))
    return refused_writes


def marker_holders(calls: Calls, all_refused: Sequence[RefusedWrite], now: dict[str, datetime]) -> list[dict[str, Memory]]:
    """Return each refused write's active marker holders, by kind of marker. Its next attempt takes over the stale markers.

    A marker is stale if its memory is gone, closed or expired. `now` maps the memory id of each write to the write's time.
    """
    keys = [
        (refused.write.change.memory.user_id, memory_name(item[HOLDER]["S"]))
        for refused in all_refused
        for _, item in refused.actions
        if HOLDER in item
    ]
    holders = calls.get(keys)
    return [_sort_markers(refused, holders, now[refused.write.change.memory.memory_id]) for refused in all_refused]


def _sort_markers(refused: RefusedWrite, holders: dict[tuple[str, str], Item], now: datetime) -> dict[str, Memory]:
    """Record stale, expired and foreign markers in the write, and return the active holders of the others by kind."""
    write, holders_by_place = refused.write, {}
    # Forget the markers of earlier attempts, because another write may have changed them.
    write.archived, write.stale = {}, {}
    for action, item in refused.actions:
        if HOLDER not in item:
            continue
        if action.kind == "Delete":
            write.foreign.add(action.name)
            continue
        holder_id = item[HOLDER]["S"]
        record = holders.get((write.change.memory.user_id, memory_name(holder_id)))
        holder = readable(record, memory_of) if record is not None else None
        if record is None or holder is None or holder.status != "active":
            write.stale[action.name] = holder_id
        elif is_closed_or_expired(holder, now):
            closed = holder.next_version(now, status="archived")
            audit = Audit("archive", now, {"why": "expired, and said again"})
            write.archived[holder_id] = RowChange(closed, bytes_of(record), audit, before=holder)
        else:
            holders_by_place[CONTENT if action.name.startswith(CONTENT) else KEY] = holder
    return holders_by_place


class EntryBatch:
    """Stores the entries of one `MemoryRecords.add` call."""

    def __init__(self, calls: Calls, since: datetime | None) -> None:
        self._calls, self._since = calls, since
        self._answers: dict[int, tuple[Memory, bool]] = {}
        self._there: dict[str, Memory] = {}

    def add(self, entries: Sequence[Entry]) -> list[tuple[Memory, bool]]:
        """Store the entries. For each entry, return the stored memory and whether it is new."""
        writes = [TransactionWrite(RowChange(entry.memory, to_bytes(entry.vector), entry.audit)) for entry in entries]
        for write in writes:
            write.actions(self._since)  # raises an error for invalid entries before anything is written
        waiting = dict(enumerate(writes))
        while waiting:
            self._write_all({place: waiting.pop(place) for place in _pick_independent_writes(waiting)})
            for place in [place for place, write in waiting.items() if self._is_duplicate(place, write.change.memory)]:
                del waiting[place]
        return [self._answers[place] for place in range(len(writes))]

    def _is_duplicate(self, place: int, memory: Memory) -> bool:
        """Return whether this batch already stored a memory with the same content. If so, record it as the entry's result."""
        holder = self._there.get(_build_content_key(memory))
        if holder is None or is_closed_or_expired(holder, memory.created_at):
            return False
        self._answers[place] = holder, False
        return True

    def _write_all(self, writes: dict[int, TransactionWrite]) -> None:
        """Write until each write is stored or equals a stored memory. Records all answers and empties `writes`."""
        for attempt in itertools.count():
            refused: list[RefusedWrite] = []
            for batch in batches_of(list(writes.values()), self._since):
                refusals = self._calls.transact([action for _, actions in batch for action in actions])
                if refusals:
                    refused += refused_writes(batch, refusals)
                else:
                    written = {id(write) for write, _ in batch}
                    for place in [place for place, write in writes.items() if id(write) in written]:
                        self._record_answer(place, writes.pop(place).change.memory, True)
            self._answer_refused(writes, refused)
            if not writes:
                return
            self._calls.wait(attempt)

    def _record_answer(self, place: int, memory: Memory, created: bool) -> None:
        self._answers[place] = memory, created
        self._there[_build_content_key(memory)] = memory

    def _answer_refused(self, writes: dict[int, TransactionWrite], all_refused: Sequence[RefusedWrite]) -> None:
        """Remove the writes that equal stored memories, which become the answers. Raises `CONFLICT` for a taken key or id."""
        now = {write.change.memory.memory_id: write.change.memory.created_at for write in writes.values()}
        places = {id(write): place for place, write in writes.items()}
        for refused, holders in zip(all_refused, marker_holders(self._calls, all_refused, now), strict=True):
            place, memory = places[id(refused.write)], refused.write.change.memory
            if CONTENT in holders:
                self._record_answer(place, holders[CONTENT], holders[CONTENT].memory_id == memory.memory_id)
                del writes[place]
            elif KEY in holders:
                raise CommonplaceError(ErrorCode.CONFLICT, f"the key {memory.key} is taken by {holders[KEY].memory_id}")
            elif any(action.name == memory_name(memory.memory_id) for action, _ in refused.actions):
                raise CommonplaceError(ErrorCode.CONFLICT, f"{memory.memory_id} is there already, with another content")


def _pick_independent_writes(waiting: dict[int, TransactionWrite]) -> list[int]:
    """Return the positions of writes that touch different items, because a transaction may touch each item only once."""
    claimed: set[tuple[str, str]] = set()
    chosen = []
    for place, write in waiting.items():
        memory = write.change.memory
        claims = {(memory.user_id, name) for name in (memory_name(memory.memory_id), *markers(memory))}
        if claims.isdisjoint(claimed):
            chosen.append(place)
        claimed |= claims
    return chosen


def _build_content_key(memory: Memory) -> str:
    return f"{memory.user_id}#{fingerprint(memory).hex()}"
