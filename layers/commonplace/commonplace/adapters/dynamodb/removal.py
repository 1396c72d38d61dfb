"""Takes records that can't be read out of the table, and what else is kept of closed and of erased memories."""

import json
from collections.abc import Collection, Iterator
from dataclasses import asdict

from commonplace.adapters.dynamodb import feedback
from commonplace.adapters.dynamodb.calls import Calls, key_of, partition_condition
from commonplace.adapters.dynamodb.ids import erased_row, forget_aliases, keep_erased
from commonplace.adapters.dynamodb.rows import (
    HOLDER,
    memory_name,
    memory_of,
    pending_name,
    purge_at,
    readable,
    used_name,
)
from commonplace.adapters.dynamodb.table import AUDIT, CONTENT, ITEM, KEY, OPERATION, PURGE_AT, Action
from commonplace.adapters.dynamodb.writes import older_audits, purging
from commonplace.memories.transitions import without_words
from commonplace.ports.record_values import AppliedChange, Change, Operation

_ERASED = json.dumps({"erased": True})


def erase_unreadable(calls: Calls, user_id: str, memory_id: str, forgotten: bool) -> bool:
    """Erases a record that can't be read, with all that stands beside it; False where there is none under the id.

    The record goes last, so that after a crash the same call goes on.
    """
    record = calls.one(user_id, memory_name(memory_id))
    if record is None or readable(record, memory_of) is not None:
        return False
    beside = (used_name(memory_id), pending_name(memory_id), *_rows_of(calls, user_id, memory_id))
    calls.delete_all(key_of(user_id, name) for name in beside)
    forget(calls, user_id, [memory_id], forgotten)
    calls.delete_all([key_of(user_id, memory_name(memory_id))])
    return True


def forget_purged(calls: Calls, user_id: str, memory_ids: Collection[str], names: Collection[str]) -> None:
    """Keeps the hashes of memories without a record and of names from elsewhere, and takes out what else tells of them."""
    keep_erased(calls, user_id, names)
    forget(calls, user_id, memory_ids)


def _rows_of(calls: Calls, user_id: str, memory_id: str) -> Iterator[str]:
    """The names of a memory's audit rows and of the markers that it holds."""
    for page in calls.pages(*partition_condition(user_id, f"{AUDIT}{memory_id}#"), ConsistentRead=True):
        yield from (row[ITEM]["S"] for row in page)
    for kind in (CONTENT, KEY):
        condition, values = partition_condition(user_id, kind)
        held = {**values, ":holder": {"S": memory_id}}
        for page in calls.pages(condition, held, FilterExpression=f"#{HOLDER} = :holder", ConsistentRead=True):
            yield from (row[ITEM]["S"] for row in page)


def forget(calls: Calls, user_id: str, erased: Collection[str], forgotten: bool = True) -> None:
    """Takes out the aliases of erased memories, feedback on them, and words of theirs that the user's operations replaced.
    `forgotten`: a hash of each id and alias stays; it is there before these go."""
    keep_erased(calls, user_id, erased if forgotten else ())
    forget_aliases(calls, user_id, erased, forgotten)
    feedback.forget(calls, user_id, erased)
    for page in calls.pages(*partition_condition(user_id, OPERATION), ConsistentRead=True):
        for item in page:
            told = _told_without(item["told"]["S"], erased)
            if told is not None:
                calls.put({**item, "told": {"S": told}})


def _told_without(told: str, erased: Collection[str]) -> str | None:
    """What is kept of an operation without the words of some memories; None where it tells none of them."""
    if not any(memory_id in told for memory_id in erased):
        return None
    try:
        kept = json.loads(told)
        made = [AppliedChange(**one) for one in kept["made"]]
    except (ValueError, KeyError, TypeError):  # it can't be taken back, and so needs none of its words
        return "{}"
    left = [asdict(without_words(one) if one.memory_id in erased else one) for one in made]
    return json.dumps({**kept, "made": left}) if left != kept["made"] else None


def erasing(operation: Operation) -> Iterator[Action]:
    """The counts of what is erased go, and a hash of its id comes."""
    for memory in [change.memory for change in operation.changes if change.erases]:
        yield Action("Delete", key_of(memory.user_id, used_name(memory.memory_id)))
        yield Action("Put", erased_row(memory.user_id, memory.memory_id))


def older_rows(calls: Calls, change: Change) -> Iterator[Action]:
    """Other rows of a memory go when it goes; the details of audit rows of what is erased, which may quote it, at once."""
    memory = change.memory
    if not change.erases:
        yield from purging(calls, memory, change.before)
        return
    goes = purge_at(memory)
    told = "SET #detail = :erased" + (f", #{PURGE_AT} = :purge_at" if goes else "")
    values = {":erased": {"S": _ERASED}, **({":purge_at": goes[PURGE_AT]} if goes else {})}
    yield from (
        Action("Update", key_of(memory.user_id, name), change=told, values=values) for name in older_audits(calls, memory)
    )
