"""Current memories in the formats of other tools, which `commonplace import` reads too."""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC
from itertools import chain
from typing import Any

from commonplace.domain.memory import Memory

_MORE = (
    "memory_type", "category", "importance", "source", "origin", "key", "collection", "session_id", "position", "speaker",
    "event_time", "valid_from", "user_note",
)  # fmt: skip
NAMESPACE = "memories"


def mem0_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """Yield `{"results": [...]}`, as returned by mem0's `get_all`: tags as categories, extra fields as metadata."""
    yield from _listed('{"results": [', (_mem0(memory) for memory in memories), "]}")


def langgraph_lines(memories: Iterable[Memory]) -> Iterator[str]:
    """Yield a list of items like LangGraph's `Item.dict()`, for `store.put(tuple(namespace), key, value)`."""
    yield from _listed("[", (_langgraph(memory) for memory in memories), "]")


def _listed(begins: str, entries: Iterable[Mapping[str, Any]], ends: str) -> Iterator[str]:
    yield begins
    for number, entry in enumerate(entries):
        yield f"{',' if number else ''}\n{json.dumps(entry, ensure_ascii=False)}"
    yield from chain(("\n",), (ends, "\n"))


def _mem0(memory: Memory) -> dict[str, Any]:
    told = _fields_of(memory)
    expires = memory.expires_at
    return {
        "id": memory.memory_id,
        "memory": memory.content,
        "user_id": _user(memory),
        "role": "assistant" if memory.source == "agent" else memory.source,
        "categories": list(memory.tags),
        "created_at": told["created_at"],
        "updated_at": told["updated_at"],
        "expiration_date": expires.astimezone(UTC).date().isoformat() if expires is not None else None,
        "metadata": _extra_fields(told),
    }


def _langgraph(memory: Memory) -> dict[str, Any]:
    told = _fields_of(memory)
    expires = {"expires_at": told["expires_at"]} if memory.expires_at is not None else {}
    return {
        "namespace": [NAMESPACE, _user(memory).replace(".", "_")],  # LangGraph forbids dots there
        "key": memory.memory_id,
        "value": {"content": memory.content, "tags": list(memory.tags), **_extra_fields(told), **expires},
        "created_at": told["created_at"],
        "updated_at": told["updated_at"],
    }


def _fields_of(memory: Memory) -> dict[str, Any]:
    return memory.model_dump(mode="json")


def _extra_fields(told: Mapping[str, Any]) -> dict[str, Any]:
    return {name: told[name] for name in _MORE if told.get(name) is not None}


def _user(memory: Memory) -> str:
    return memory.user_id.partition("|")[2] or memory.user_id
