"""Converts memories to items in the table, and items from the table or its stream to memories."""

import base64
import hashlib
import json
import logging
import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, TypeVar

from commonplace.adapters.dynamodb.table import AUDIT, CONTENT, ITEM, KEY, MEMORY, PENDING, PURGE_AT, USED, USER, Item
from commonplace.domain.documents import Document
from commonplace.domain.fields import EARLIEST
from commonplace.domain.flaws import report_unreadable
from commonplace.domain.memory import Memory
from commonplace.memories.vectors import from_bytes
from commonplace.ports.values import Audit, IndexChange, Stored, StreamRecord, Tombstone
from commonplace.retrieval.documents import fingerprint

RECORD, VECTOR, VERSION, STATUS, HOLDER = "record", "vector", "version", "status", "memory_id"
FOUND, LAST_FOUND, TOLD = "found", "last_found", "told"
_log = logging.getLogger("commonplace")
_T = TypeVar("_T")


def memory_name(memory_id: str) -> str:
    """Return the sort key of a record."""
    return f"{MEMORY}{memory_id}"


def used_name(memory_id: str) -> str:
    """Return the sort key of a memory's usage counts."""
    return f"{USED}{memory_id}"


def pending_name(memory_id: str) -> str:
    """Return the sort key of a pending write."""
    return f"{PENDING}{memory_id}"


def memory_item(memory: Memory, vector: bytes | None) -> Item:
    """Return the item that stores a memory. `vector` is already in its stored form."""
    return {
        **_build_key_and_ttl(memory, memory_name(memory.memory_id)),
        RECORD: {"S": memory.model_dump_json()},
        VERSION: {"N": str(memory.version)},
        STATUS: {"S": memory.status},
        "fingerprint": {"B": fingerprint(memory)},
        **_build_expires_at(memory),
        **({} if vector is None else {VECTOR: {"B": vector}}),
    }


def memory_of(item: Item, used: Item | None = None) -> Memory:
    """Convert an item to a memory. `used` is the item with its usage counts. Raises an error if the record is unreadable."""
    memory = Memory.from_record(item[RECORD]["S"])
    if (memory.user_id, memory_name(memory.memory_id)) != (item[USER]["S"], item[ITEM]["S"]):
        raise ValueError("another memory's record")
    if used is None or FOUND not in used:
        return memory
    try:
        count, last = int(used[FOUND]["N"]), datetime.fromisoformat(used[LAST_FOUND]["S"])
    except (ValueError, KeyError):  # a damaged count must not hide the memory
        return memory
    return memory.model_copy(update={"access_count": count, "last_accessed": last})


def stored_of(item: Item, used: Item | None = None) -> Stored:
    """Convert an item to a memory with its vector. `used` is the item with the memory's usage counts."""
    return Stored(memory_of(item, used), from_bytes(bytes_of(item)))


def readable_records(items: Iterable[Item], read: Callable[[Item], _T]) -> Iterator[_T]:
    """Yield the result of `read` for each item. The keys of unreadable records are logged, and the records are skipped."""
    for item in items:
        value = readable(item, read)
        if value is not None:
            yield value


def readable(item: Item, read: Callable[[Item], _T]) -> _T | None:
    """Return the result of `read` for a record. If the record is unreadable, report it, log its key and return None."""
    try:
        return read(item)
    except (ValueError, KeyError, TypeError) as error:  # includes errors from Pydantic and NumPy
        key = item[USER]["S"], item[ITEM]["S"]
        report_unreadable(key[0], key[1].removeprefix(MEMORY))
        _log.error("an unreadable record is left out: %s %s: %s", *key, type(error).__name__)
        return None


def bytes_of(item: Item) -> bytes | None:
    """Return the bytes of a record's vector, or None."""
    return bytes(item[VECTOR]["B"]) if VECTOR in item else None


def markers(memory: Memory) -> dict[str, Item]:
    """Return the marker items of an active memory, by sort key. They prevent a second memory with its content or its key."""
    if memory.status != "active":
        return {}
    common = {HOLDER: {"S": memory.memory_id}, **_build_expires_at(memory)}
    content = f"{CONTENT}{fingerprint(memory).hex()}"
    items: dict[str, Item] = {content: {**_build_key_and_ttl(memory, content), **common}}
    if memory.key is not None:
        name = key_name(memory.collection, memory.key)
        place = {"collection": {"S": memory.collection}, "key": {"S": memory.key}}
        items[name] = {**_build_key_and_ttl(memory, name), **common, **place}
    return items


def key_name(collection: str, key: str) -> str:
    """Return the sort key of the marker that reserves a memory's key."""
    place = json.dumps([collection, key], ensure_ascii=False)
    return f"{KEY}{hashlib.sha256(place.encode()).hexdigest()}"


def audit_name(memory: Memory) -> str:
    """Return the sort key of the audit row for a version of a memory."""
    return f"{AUDIT}{memory.memory_id}#{memory.version:010d}"


def audit_item(memory: Memory, audit: Audit) -> Item:
    """Return the audit row for a version of a memory. Raises `TypeError` if the detail can't be serialized as JSON."""
    return {
        **_build_key_and_ttl(memory, audit_name(memory)),
        "operation": {"S": audit.operation},
        "at": {"S": audit.at.isoformat()},
        "detail": {"S": json.dumps(audit.detail, ensure_ascii=False)},
    }


def audit_of(item: Item) -> Audit:
    """Parse an audit row. A damaged row keeps its operation, but has the earliest time and no detail."""
    operation = str(item.get("operation", {}).get("S"))
    try:
        return Audit(operation, datetime.fromisoformat(item["at"]["S"]), json.loads(item["detail"]["S"]))
    except (ValueError, KeyError):  # a damaged row still counts, so return its readable part
        return Audit(operation, EARLIEST, {})


def purge_at(kept: Memory | Document) -> dict[str, Any]:
    """Return the TTL attribute, in whole seconds, for the rows of a memory or document, or {} if it is never purged."""
    return {} if kept.purge_at is None else {PURGE_AT: {"N": str(math.ceil(kept.purge_at.timestamp()))}}


def is_closed_or_expired(memory: Memory, now: datetime) -> bool:
    """Return whether a memory is closed or expired and therefore no longer holds its markers."""
    return memory.status != "active" or memory.has_expired(now)


def _build_key_and_ttl(memory: Memory, name: str) -> dict[str, Any]:
    return {USER: {"S": memory.user_id}, ITEM: {"S": name}, **purge_at(memory)}


def _build_expires_at(memory: Memory) -> dict[str, Any]:
    return {} if memory.expires_at is None else {"expires_at": {"N": str(memory.expires_at.timestamp())}}


def stream_records(event: Mapping[str, Any]) -> Iterator[StreamRecord]:
    """Yield the changes to memories in a stream event, in order. Changes to other rows are skipped."""
    for record in event["Records"]:
        image = record["dynamodb"]
        user, item = image["Keys"][USER]["S"], image["Keys"][ITEM]["S"]
        if not item.startswith(MEMORY):
            continue
        at = datetime.fromtimestamp(float(image["ApproximateCreationDateTime"]), UTC)
        try:
            change, trouble = _parse_change(image, user, item), ""
        except (ValueError, KeyError, TypeError) as error:  # includes errors from Pydantic, NumPy and base64
            change, trouble = None, f"unreadable: {type(error).__name__}"
        yield StreamRecord(image["SequenceNumber"], user, item, at, change, trouble)


def _parse_change(change: Mapping[str, Any], user: str, item: str) -> IndexChange:
    """Return a tombstone for a deleted memory, and otherwise the new memory with its vector."""
    if "NewImage" not in change:
        return Tombstone(user, item.removeprefix(MEMORY), int(change["OldImage"][VERSION]["N"]))
    image = change["NewImage"].items()
    stored = stored_of({name: {"B": base64.b64decode(value["B"])} if "B" in value else value for name, value in image})
    if (stored.memory.user_id, f"{MEMORY}{stored.memory.memory_id}") != (user, item):
        raise ValueError("another memory's key")
    return stored
