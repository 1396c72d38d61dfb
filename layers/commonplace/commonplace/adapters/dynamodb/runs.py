"""Stores runs with their parts and leases, users' tag rows, and the daily token budget."""

import math
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime, time, timedelta
from itertools import islice

from commonplace.adapters.dynamodb.calls import Calls, Table, TableAdapter, key_of, partition_condition
from commonplace.adapters.dynamodb.ledger import interaction_name, marked, settle_due, stored_interaction
from commonplace.adapters.dynamodb.long_texts import ROWS, named, names_from, row_text, text_of
from commonplace.adapters.dynamodb.operations import fenced, lease_lost
from commonplace.adapters.dynamodb.table import (
    ABSENT,
    BUDGET,
    ITEM,
    LEASE,
    OVERFLOW,
    PART,
    PURGE_AT,
    RUN,
    RUNNING,
    TAG_ROWS,
    Action,
    Item,
)
from commonplace.domain.batching import in_batches
from commonplace.domain.interactions import parse_run, parse_tag_rows, tag_rows_text
from commonplace.domain.runs import Run, TagRow
from commonplace.ports.night import LedgerMark
from commonplace.ports.values import Fence

_MARK_BATCH = 30  # interactions per transaction; each needs up to 3 of the 100 actions
_RETENTION = timedelta(days=3)
_ALL = "all"


class DynamoTagRows(TableAdapter):
    def rows(self, user_id: str) -> dict[str, TagRow]:
        calls = self._table.calls()
        return parse_tag_rows(text_of(calls, calls.get_item(user_id, TAG_ROWS)))

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        """Replace all of the user's tag rows. Raises `LEASE_LOST` for an older lease."""
        prefix = f"{OVERFLOW}{TAG_ROWS}#"
        before = names_from(self._table.calls(), user_id, prefix)
        text, parts = row_text(tag_rows_text(rows), user_id, prefix)
        gone = [Action("Delete", key_of(user_id, name)) for name in before]
        for actions in (*([part] for part in parts), [Action("Put", {**key_of(user_id, TAG_ROWS), **text}), *gone]):
            _write_fenced(self._table, actions, fence)


class DynamoRuns(TableAdapter):
    def lease(self, user_id: str, now: datetime, until: datetime) -> Fence | None:
        """Take the user's lease until `until`. Returns None if another run holds a valid lease."""
        values = {
            ":now": {"N": str(now.timestamp())}, ":until": {"N": str(until.timestamp())}, ":none": {"N": "0"},
            ":one": {"N": "1"}, ":untrue": {"N": str((until + (until - now)).timestamp())},
        }  # fmt: skip
        change = "SET #fence = if_not_exists(#fence, :none) + :one, #until = :until"
        free = f"{ABSENT} OR #until <= :now OR #until > :untrue"
        updated = self._table.calls().update(user_id, LEASE, change, free, values)
        return None if updated is None else Fence(user_id, int(updated["fence"]["N"]))

    def renew(self, fence: Fence, until: datetime) -> None:
        values = {":fence": {"N": str(fence.number)}, ":until": {"N": str(until.timestamp())}}
        if self._table.calls().update(fence.user_id, LEASE, "SET #until = :until", "#fence = :fence", values) is None:
            raise lease_lost()

    def release(self, fence: Fence) -> None:
        values = {":fence": {"N": str(fence.number)}, ":over": {"N": "0"}}
        self._table.calls().update(fence.user_id, LEASE, "SET #until = :over", "#fence = :fence", values)

    def unfinished(self, user_id: str) -> Run | None:
        row = self._table.calls().get_item(user_id, RUNNING)
        return None if row is None else self.get(user_id, row["run_id"]["S"])

    def save(self, run: Run, fence: Fence) -> None:
        # Saving a closed run again, for example after a review, must not change the row that identifies the active run.
        active = Action("Put", {**key_of(run.user_id, RUNNING), "run_id": {"S": run.run_id}})
        self._replace_text(run, [active] if run.status == "running" else [], fence)

    def save_part(self, run: Run, name: str, body: str, fence: Fence) -> None:
        """Store a part, or do nothing if the run has a part of that name. Raises `LEASE_LOST` for an older lease."""
        key = key_of(run.user_id, f"{PART}{run.run_id}#{name}")
        text, rows = row_text(body, run.user_id, f"{OVERFLOW}{PART}{run.run_id}#")
        absent = Action("ConditionCheck", key, ABSENT)
        for actions in (*([row, absent] for row in rows), [Action("Put", {**key, **text}, ABSENT)]):
            refusals = self._table.calls().transact([fenced(fence), *actions])
            if any(refusal.place == 0 for refusal in refusals):
                raise lease_lost()
            if refusals:
                return

    def part(self, user_id: str, run_id: str, name: str) -> str | None:
        calls = self._table.calls()
        return text_of(calls, calls.get_item(user_id, f"{PART}{run_id}#{name}"))

    def drop_parts(self, user_id: str, run_id: str, keep: Sequence[str] = ()) -> None:
        calls, prefix = self._table.calls(), f"{PART}{run_id}#"
        wanted = {f"{prefix}{name}" for name in keep}
        condition = partition_condition(user_id, prefix)
        rows = calls.rows(*condition, ConsistentRead=True, ProjectionExpression=f"#{ITEM},#{ROWS}")
        parts = {row[ITEM]["S"]: named(row) for row in rows}
        staying = {name for part in wanted & parts.keys() for name in parts[part]}
        unused_rows = [name for name in names_from(calls, user_id, f"{OVERFLOW}{prefix}") if name not in staying]
        # Delete the parts first, so that no part exists without its rows.
        calls.delete_all(key_of(user_id, name) for name in parts.keys() - wanted)
        calls.delete_all(key_of(user_id, name) for name in unused_rows)

    def close(self, run: Run, marks: Mapping[str, LedgerMark], fence: Fence) -> None:
        """Mark interactions with the result of the run, and save the run. Raises `LEASE_LOST` for an older lease."""
        calls, at = self._table.calls(), run.finished_at or run.started_at
        names = [(run.user_id, interaction_name(name)) for name in marks]
        items_by_key = calls.get(names)
        interactions = [stored_interaction(items_by_key[name]) for name in names if name in items_by_key]
        # An earlier attempt may have marked interactions and crashed before it closed the run.
        unmarked = [interaction for interaction in interactions if interaction.entry.run_id != run.run_id]
        for batch in in_batches(unmarked, _MARK_BATCH):
            actions = [
                action
                for interaction in batch
                for action in marked(run.user_id, interaction, marks[interaction.entry.interaction_id], run.run_id, at)
            ]
            _write_fenced(self._table, actions, fence)
        self._replace_text(run, [Action("Delete", key_of(run.user_id, RUNNING))], fence)
        settle_due(self._table, run.user_id)

    def get(self, user_id: str, run_id: str) -> Run | None:
        calls = self._table.calls()
        return _load_run(calls, calls.get_item(user_id, f"{RUN}{run_id}"))

    def newest(self, user_id: str, limit: int) -> list[Run]:
        calls = self._table.calls()
        condition = partition_condition(user_id, RUN)
        rows = calls.rows(*condition, ScanIndexForward=False, ConsistentRead=True, Limit=max(1, limit))
        runs = (_load_run(calls, row) for row in rows)
        return list(islice((run for run in runs if run is not None), limit))

    def _replace_text(self, run: Run, extra: Sequence[Action], fence: Fence) -> None:
        """Save a run and delete its earlier text in one transaction, because the earlier text may contain erased words."""
        prefix = f"{OVERFLOW}{RUN}{run.run_id}#"
        before = names_from(self._table.calls(), run.user_id, prefix)
        text, rows = row_text(run.model_dump_json(), run.user_id, prefix)
        for row in rows:
            _write_fenced(self._table, [row], fence)
        gone = [Action("Delete", key_of(run.user_id, name)) for name in before]
        saved = Action("Put", {**key_of(run.user_id, f"{RUN}{run.run_id}"), **text})
        _write_fenced(self._table, [saved, *extra, *gone], fence)


def _write_fenced(table: Table, actions: Sequence[Action], fence: Fence) -> None:
    """Write the actions in one transaction. Raises `LEASE_LOST` if a newer lease exists."""
    if table.calls().transact([fenced(fence), *actions]):
        raise lease_lost()


def _load_run(calls: Calls, row: Item | None) -> Run | None:
    text = text_of(calls, row)
    return None if text is None else parse_run(text)


class DynamoBudget(TableAdapter):
    """Counts the tokens that models use, with one partition per day in the table."""

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        """Add tokens to the day's counts. Returns False, and adds nothing, if the user's or the total limit is exceeded."""
        if tokens > min(user_limit, limit):
            return False
        limits = {_name_user(user_id): user_limit, _ALL: limit}
        actions = [_raise_count(day, name, tokens, most - tokens) for name, most in limits.items()]
        return not self._table.calls().transact(actions)

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        if used != reserved:
            self._table.calls().transact([_raise_count(day, name, used - reserved) for name in (_name_user(user_id), _ALL)])


def _name_user(user_id: str) -> str:
    return f"user#{user_id}"


def _raise_count(day: date, name: str, tokens: int, most_before: int | None = None) -> Action:
    """Return the update that adds tokens to a counter, unless the counter already exceeds `most_before`."""
    key = key_of(f"{BUDGET}{day.isoformat()}", name)
    gone = math.ceil((datetime.combine(day, time(), UTC) + _RETENTION).timestamp())
    values = {":tokens": {"N": str(tokens)}, ":gone": {"N": str(gone)}}
    most = {} if most_before is None else {":most": {"N": str(most_before)}}
    condition = f"{ABSENT} OR #tokens <= :most" if most else None
    return Action("Update", key, condition, {**values, **most}, f"SET #{PURGE_AT} = :gone ADD #tokens :tokens")
