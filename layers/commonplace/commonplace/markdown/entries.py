"""What a person typed on a page becomes a memory, or puts one in another place."""

from collections.abc import Mapping
from datetime import datetime, time
from typing import Any

from commonplace.markdown.page import Line, Page, moved_to, zone_of
from commonplace.models.fields import Request, Text
from commonplace.models.memory import DEFAULT_COLLECTION, Memory
from commonplace.models.storage import Key
from commonplace.ports import Caller, Entry, Ports
from commonplace.remember import DAILY_FOR, KEPT_AFTER_EXPIRY, new_entry
from commonplace.statement import read_statement

_KEPT = ("collection", "agent_id", "section", "scope", "scope_ref", "subject")


class EntryRequest(Request):
    """What was typed, to be checked; `value` is None where it says what it said."""

    key: Key | None = None
    value: Text | None = None


def new_memory(
    page: Page, line: Line, typed: EntryRequest, old: Memory | None, own_tags: Mapping[str, int], caller: Caller, ports: Ports
) -> Entry:
    """A memory of a new entry, or in the place of an `old` one, of which it keeps what its words did not tell."""
    assert typed.value is not None
    given: dict[str, Any] = {"confidence": 1.0, "collection": DEFAULT_COLLECTION, "key": typed.key}
    if old is not None:
        given |= {name: getattr(old, name) for name in _KEPT} | {"supersedes": old.memory_id}
    if line.section is not None:
        given["section"] = line.section
    given |= _as_before(old) if old and not moved_to(page, old, zone_of(caller)) else _as_of_the_page(page, old, caller)
    statement = read_statement(typed.value, ports.words, own_tags)
    return new_entry("markdown", statement, None, caller, ports, given)


def moved(page: Page, line: Line, typed: EntryRequest, old: Memory, caller: Caller) -> Memory:
    """The memory itself in another place: what it says, and what it rests on, stays."""
    changed: dict[str, Any] = {"key": typed.key, "section": line.section or old.section}
    if moved_to(page, old, zone_of(caller)):
        changed |= _as_of_the_page(page, old, caller)
    return old.next_version(caller.now, **changed)


def _as_before(old: Memory) -> dict[str, Any]:
    when = {"event_time": old.happened_at} if old.durability == "daily" else {}
    return {"durability": old.durability, "expires_at": old.expires_at, **when}


def _as_of_the_page(page: Page, old: Memory | None, caller: Caller) -> dict[str, Any]:
    """How long it is kept and when it happened, as the page tells."""
    if page.day is None:
        return {"durability": "durable", "expires_at": None, "purge_at": None}
    expires = (old and old.expires_at) or caller.now + DAILY_FOR
    noon = datetime.combine(page.day, time(12), caller.now.tzinfo)
    return {
        "durability": "daily",
        "expires_at": expires,
        "purge_at": expires + KEPT_AFTER_EXPIRY,
        "event_time": min(noon, caller.now) if page.day == caller.now.date() else noon,
    }
