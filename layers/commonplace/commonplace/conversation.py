"""Importing a conversation, turn by turn, each with its place."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from commonplace import intake
from commonplace.errors import CommonplaceError
from commonplace.models.fields import Place
from commonplace.models.requests import Keep, StoreRequest, Turn
from commonplace.models.results import ImportResult, LeftOut
from commonplace.ports import Caller, Entry, Ports
from commonplace.redaction import redact
from commonplace.remember import new_entry
from commonplace.statement import read_statement

_BATCH = 100
_NOBODY = ("user", "assistant", "system")
Progress = Callable[[int], None]


def import_turns(
    turns: Sequence[Mapping[str, Any]], keep: Keep, caller: Caller, ports: Ports, progress: Progress | None = None
) -> ImportResult:
    """Stores turns in batches, one transaction each. `progress` is told how many turns are done after each batch.

    What is not kept (nothing but a secret, too long, no words, not worth keeping) is listed with its reason; a malformed
    turn is an error that names it, before anything is stored.
    """
    checked = [_check(turn, number, caller) for number, turn in enumerate(turns)]
    own_tags = ports.facts.tags(caller.user_id)
    ids: list[str | None] = [None] * len(checked)
    left_out: list[LeftOut] = []
    for start in range(0, len(checked), _BATCH):
        numbers = range(start, min(start + _BATCH, len(checked)))
        entries: dict[int, Entry] = {}
        for number in numbers:
            before = checked[number - 1] if number and checked[number - 1].session_id == checked[number].session_id else None
            outcome = _entry(checked[number], before, keep, own_tags, caller, ports)
            if isinstance(outcome, str):
                left_out.append(LeftOut(turn=number, why=outcome))
            else:
                entries[number] = outcome
        for number, (memory, _) in zip(entries, ports.records.add(list(entries.values())), strict=True):
            ids[number] = memory.memory_id
        if progress:
            progress(numbers.stop)
    return ImportResult(ids=ids, left_out=left_out)


def batches(turns: Sequence[Mapping[str, Any]], size: int) -> Iterator[Sequence[Mapping[str, Any]]]:
    """The turns in pieces."""
    for start in range(0, len(turns), size):
        yield turns[start : start + size]


def _check(turn: Mapping[str, Any], number: int, caller: Caller) -> Turn:
    try:
        return intake.check(Turn, turn)
    except CommonplaceError as error:
        field = f"turns.{number}" + (f".{error.field}" if error.field else "")
        raise CommonplaceError(error.code, f"turns.{number}: {error.message}", field) from None


def _entry(
    turn: Turn, before: Turn | None, keep: Keep, own_tags: Mapping[str, int], caller: Caller, ports: Ports
) -> Entry | str:
    """The turn as a memory to be stored, or why not."""
    found = redact(turn.text, before.text if before else None)
    if found.only_secret:
        return "secret_only: holds nothing but a secret"
    try:
        request = intake.check(StoreRequest, {"content": found.text})
    except CommonplaceError as error:
        return str(error)
    named = None if turn.speaker.lower() in _NOBODY else turn.speaker
    statement = read_statement(request.content, ports.embedder, own_tags, named)
    if keep == "worthy" and (turn.speaker.lower() in _NOBODY[1:] or not statement.classification.worthy):
        return "not worth keeping: " + ("said by the assistant" if turn.speaker.lower() in _NOBODY[1:] else "small talk, a question or a passing matter")
    event_time = turn.event_time
    if event_time is not None and event_time.tzinfo is None:
        event_time = event_time.replace(tzinfo=caller.now.tzinfo)
    place = Place(session_id=turn.session_id, position=turn.position, speaker=turn.speaker, event_time=event_time)
    return new_entry("import", statement, place, caller, ports, {"agent_id": caller.agent_id})
