"""A value under a key becomes a memory."""

from typing import Any

from commonplace.models.memory import DEFAULT_COLLECTION
from commonplace.ports import Caller, Entry, Ports
from commonplace.remember import DAILY_FOR, new_entry
from commonplace.statement import read_statement
from commonplace.taxonomy import Durability, Section


def entry_of(
    tool: str, key: str, value: str, section: Section, durability: Durability, caller: Caller, ports: Ports, **given: Any
) -> Entry:
    """The memory, not stored yet; `given`: more fields of the record that are decided already."""
    statement = read_statement(value, ports.words, ports.facts.tags(caller.user_id))
    fields = {"key": key, "section": section, "collection": DEFAULT_COLLECTION, "durability": durability, **given}
    if durability == "daily":
        fields["expires_at"] = caller.now + DAILY_FOR
    return new_entry(tool, statement, None, caller, ports, fields)
