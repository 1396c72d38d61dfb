"""Implement `update_memory`, which replaces a memory with a new value, or corrects the labels of a memory."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode, invalid
from commonplace.domain.fields import is_never
from commonplace.domain.ids import new_operation_id
from commonplace.domain.memory import Memory, importance_of
from commonplace.domain.storage import UpdateRequest, UpdateResult
from commonplace.memories.enrich import tidy_tags
from commonplace.memories.ingest import DAILY_FOR, apply_update
from commonplace.memories.tag_names import own_names
from commonplace.memories.transitions import PURGE_DELAY, corrected, superseded
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Audit, Caller, Change, Operation
from commonplace.use_cases.keyed_write import call_notes, entry_of
from commonplace.use_cases.named import memory_named

_TOOL = "update_memory"


def update_memory(request: UpdateRequest, caller: Caller, ports: Ports) -> UpdateResult:
    """Replace a memory with a new value, or correct its labels under the same id, in one operation."""
    old = memory_named(request, caller, ports)
    labels = _build_labels(request, caller.now)
    if "tags" in labels:
        labels["tags"] = own_names(labels["tags"], caller.user_id, ports)
    if request.value is not None:
        return _update_value(old, request, labels, caller, ports)
    if not labels:
        raise CommonplaceError(ErrorCode.MISSING_FIELD, "value: is required, or a label to be corrected", "value")
    change = corrected(old, caller.now, {"tool": _TOOL}, **labels)
    operation = _build_operation(caller, opens=change)
    apply_update(operation, old, invalid("expires_at", "another memory now says the same, or has its key"), ports)
    fields = sorted(request.model_fields_set - {"memory_id", "key", "value"})
    return UpdateResult(
        message=f"✓ Memory corrected: {_format_name(change.memory)}: {', '.join(fields)}",
        memory_id=old.memory_id,
        previous_id=old.memory_id,
        operation_id=operation.operation_id,
        notes=call_notes(caller),
    )


def _build_labels(request: UpdateRequest, now: datetime) -> dict[str, Any]:
    fields = {
        "memory_type": request.type,
        "tags": None if request.tags is None else tidy_tags(request.tags),
        "importance": None if request.importance is None else importance_of(request.importance),
        "section": request.category,
        "category": request.filed_under,
    }
    return {**{name: value for name, value in fields.items() if value is not None}, **_compute_expiry(request, now)}


def _compute_expiry(request: UpdateRequest, now: datetime) -> Mapping[str, Any]:
    """Return the changed durability and expiry fields. The mapping is empty if the request contains neither."""
    expires = request.expires_at
    if expires is None and request.durability is None:
        return {}
    never = expires is not None and is_never(expires)
    if never and request.durability == "daily":
        raise invalid("durability", "daily memories always expire")
    if never or (expires is None and request.durability == "durable"):
        return {"durability": "durable", "expires_at": None, "purge_at": None}
    if request.durability == "durable":
        raise invalid("durability", "can't be durable with expires_at")
    expires = expires or now + DAILY_FOR
    if expires <= now:
        raise invalid("expires_at", "is in the past")
    return {"durability": "daily", "expires_at": expires, "purge_at": expires + PURGE_DELAY}


def _update_value(
    old: Memory, request: UpdateRequest, labels: Mapping[str, Any], caller: Caller, ports: Ports
) -> UpdateResult:
    """Store the new value as a memory with its own id, which supersedes the old memory."""
    value, caller = _redact_by_key(old, request, caller)
    fields: dict[str, Any] = {
        "agent_id": old.agent_id, "collection": old.collection, "subject": old.subject, "confidence": 1.0,
        "known_as": old.known_as, "supersedes": old.memory_id, "section": old.section, "durability": old.durability,
    }  # fmt: skip
    if old.expires_at is not None and old.expires_at > caller.now + DAILY_FOR:  # later than a new daily note would expire
        fields["expires_at"] = old.expires_at
    fields |= labels
    section, durability = fields.pop("section"), fields.pop("durability")
    entry = entry_of(_TOOL, old.key, value, section, durability, caller, ports, **fields)
    new = entry.memory
    closed = superseded(old, new.memory_id, caller.now)
    audit = Audit("supersede", caller.now, {"by": new.memory_id})
    operation = _build_operation(caller, Change(closed, audit, before=old), opens=Change(new, entry.audit, entry.vector))
    apply_update(operation, old, invalid("value", "another memory says exactly this already"), ports)
    return UpdateResult(
        message=f"✓ Memory updated: {_format_name(new)}; the old value is kept as {old.memory_id}",
        memory_id=new.public_id,
        previous_id=old.memory_id,
        operation_id=operation.operation_id,
        notes=call_notes(caller),
    )


def _redact_by_key(old: Memory, request: UpdateRequest, caller: Caller) -> tuple[str, Caller]:
    """Redact the value again if the memory's key isn't the request's key, because a key can mark a value as a secret."""
    assert request.value is not None
    if old.key in (None, request.key):
        return request.value, caller
    value, kinds = validate.redacted_value(request.value, old.key)
    return value, replace(caller, redacted=tuple(dict.fromkeys((*caller.redacted, *kinds))))


def _build_operation(caller: Caller, *closes: Change, opens: Change) -> Operation:
    return Operation(new_operation_id(caller.now), caller.user_id, "UPDATE", caller.now, opens, closes)


def _format_name(memory: Memory) -> str:
    return f"{memory.section}/{memory.key or memory.memory_id}"
