"""What an old message may do to memories: nothing to what was said after it, and a wish to forget waits for a person."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from commonplace.domain.interactions import Discussion, Interaction
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped
from commonplace.extraction.days import Day
from commonplace.memories.ingest import DAILY_FOR
from commonplace.memories.transitions import PURGE_DELAY
from commonplace.nightly.intake import split_text
from commonplace.runs.apply import Plan, PlannedChange, PlannedOperation

_SAID_AFTER = "what it would close was said after it"
_OVER = "it was for a while, which is over"


def in_its_time(plan: Plan, day: Day, now: datetime, moved: dict[str, datetime]) -> tuple[Plan, Plan]:
    """The plan of a day long ago as it is to be applied, and what of it waits for review.

    A memory begins when it was said, and an older one that it replaces ends then; a value that was replaced since comes
    closed. `moved`: by id when the memories of this import were said.
    """
    work = _DayInItsTime(day, now, moved)
    for operation in plan.operations:
        work.add(operation)
    dropped = (*plan.dropped, *work.dropped)
    return plan.model_copy(update={"operations": tuple(work.operations), "dropped": dropped}), Plan(
        operations=tuple(work.waiting)
    )


def piece_times(talk: Mapping[str, Any], clean: Interaction) -> list[datetime]:
    """When each message was said of a talk that is split where messages are too long for one."""
    messages = clean.messages if isinstance(clean, Discussion) else ()
    told = zip(messages, map(datetime.fromisoformat, talk["times"]), strict=True)
    return [time for message, time in told for _ in split_text(message.content)]


def in_order_of_messages(day: Day, times: Mapping[str, Sequence[datetime]]) -> Day:
    """The day with each message at its own time, also where talks went on side by side. `times`: by the talk, as
    `piece_times` gives them."""
    zone = day.utterances[0].time.tzinfo if day.utterances else None
    said = (replace(one, time=times[one.interaction_id][one.position].astimezone(zone)) for one in day.utterances)
    return replace(day, utterances=tuple(sorted(said, key=lambda one: one.time)))


def said_at(memory: Memory) -> datetime:
    """When a memory was said: of one that stands on a talk, the time of that."""
    told = memory.event_time if memory.evidence is not None else None
    return memory.created_at if told is None else min(told, memory.created_at)


@dataclass
class _DayInItsTime:
    day: Day
    now: datetime
    moved: dict[str, datetime]
    operations: list[PlannedOperation] = field(default_factory=list)
    waiting: list[PlannedOperation] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)

    def add(self, operation: PlannedOperation) -> None:
        told = operation.told
        if not (operation.opens or operation.closes):
            return None  # nothing is to be done; a wish that no memory answers erases nothing here
        said = min(self._said(operation), self.now)
        closes = [self._moved(one) for one in operation.closes]
        earlier = [one for one in closes if one.before is None or said_at(one.before) <= said]
        later = [one.before for one in closes if one not in earlier and one.before is not None]
        opens = None if later and told.kind in ("FORGET", "DELETE") else operation.opens
        if opens is not None:
            opens = self._opened(opens, said, min(later, key=said_at) if later else None)
            if opens.memory.expires_at is not None and opens.memory.expires_at <= self.now and not earlier:
                return self._drop(operation, _OVER)
        if opens is None and not earlier:
            return self._drop(operation, _SAID_AFTER)
        ended = tuple(_ended(one, said) for one in earlier)
        changed = {"opens": opens, "closes": ended, "told": _told(operation, opens, ended)}
        found = operation.model_copy(update=changed)
        waits = told.kind == "FORGET" or told.outcome == "needs_review"
        (self.waiting if waits else self.operations).append(found)
        return None

    def _said(self, operation: PlannedOperation) -> datetime:
        told = operation.told
        one = self.day.said_at(told.interaction_id or "", told.position or 0)
        return one.time if one is not None else self.day.utterances[0].time

    def _moved(self, change: PlannedChange) -> PlannedChange:
        """A change of a memory that this import brought: it began when it was said."""
        said = self.moved.get(change.memory.memory_id)
        if said is None or change.before is None:
            return change
        began = {"created_at": said}
        return change.model_copy(
            update={"memory": change.memory.model_copy(update=began), "before": change.before.model_copy(update=began)}
        )

    def _opened(self, opens: PlannedChange, said: datetime, later: Memory | None) -> PlannedChange:
        memory = opens.memory
        self.moved[memory.memory_id] = said
        changed: dict[str, Any] = {"created_at": said}
        if memory.durability == "daily":
            ends = said + DAILY_FOR
            changed |= {"expires_at": ends, "purge_at": ends + PURGE_DELAY}
        if later is not None:
            by, at = later.memory_id, said_at(later)
            changed |= {"status": "superseded", "superseded_by": by, "valid_to": at, "key": None, "supersedes": None}
        return opens.model_copy(update={"memory": memory.model_copy(update=changed)})

    def _drop(self, operation: PlannedOperation, why: str) -> None:
        told = operation.told
        self.dropped.append(Dropped(interaction_id=told.interaction_id or "", position=told.position, why=why))


def _ended(change: PlannedChange, said: datetime) -> PlannedChange:
    """An older value ends when the newer was said, not when that was imported."""
    if change.memory.status != "superseded":
        return change
    return change.model_copy(update={"memory": change.memory.model_copy(update={"valid_to": said})})


def _told(operation: PlannedOperation, opens: PlannedChange | None, closes: Sequence[PlannedChange]) -> Any:
    told = operation.told
    kind = "ADD" if told.kind == "UPDATE" and not closes else told.kind
    closed = tuple(one.memory.memory_id for one in closes)
    return told.model_copy(update={"kind": kind, "closed": closed, "memory_id": opens and opens.memory.memory_id})
