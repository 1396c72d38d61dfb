"""mem0: what `get_all` gives, of its open source or its platform, and the history that its open source keeps in SQLite."""

import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing
from itertools import groupby, pairwise
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import ForeignFact, RefusedEntry
from commonplace.domain.taxonomy import Source as Who
from commonplace.importing.entries import entries, numbered
from commonplace.importing.sources import Source

KEYS = ("results", "memories")
_OURS = {
    "id", "memory", "data", "text", "categories", "created_at", "updated_at", "expiration_date", "role", "attributed_to",
    "metadata",
}  # fmt: skip
_OF_NO_USE = {"hash", "score", "text_lemmatized", "input", "owner", "organization"}
_HISTORY = """SELECT memory_id, new_memory, event = 'DELETE', coalesce(updated_at, created_at), role, actor_id FROM history
ORDER BY memory_id, coalesce(updated_at, created_at), rowid"""


def read(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    """Memories with their categories, times, and whatever metadata they have; of a history each wording, old ones closed."""
    if source.is_database:
        yield from _history(source)
        return
    for one in numbered(entries(source, *KEYS)):
        yield one if isinstance(one, RefusedEntry) else _fact(*one)


def _fact(where: str, entry: Mapping[str, Any]) -> ForeignFact:
    metadata = entry.get("metadata")
    more = dict(metadata) if isinstance(metadata, Mapping) else {"metadata": metadata}
    rest = {name: value for name, value in entry.items() if name not in _OURS | _OF_NO_USE}
    return ForeignFact(
        where=where,
        name=str(entry.get("id") or where),
        content=next((entry[name] for name in ("memory", "data", "text") if entry.get(name) is not None), None),
        tags=[*_list(entry.get("categories")), *_list(more.pop("tags", None))],
        times={
            "created_at": entry.get("created_at"),
            "event_time": more.pop("event_time", None),
            "expires_at": entry.get("expiration_date"),
        },
        source=_who(entry.get("role") or entry.get("attributed_to")),
        rest=rest | more,
    )


def _list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else [given] if isinstance(given, str) else []


def _who(role: Any) -> Who:
    return "agent" if role == "assistant" else "system" if role == "system" else "user"


def _history(source: Source) -> Iterator[ForeignFact | RefusedEntry]:
    assert source.path is not None
    try:
        with closing(sqlite3.connect(f"{source.path.absolute().as_uri()}?mode=ro", uri=True)) as connection:
            rows = connection.execute(_HISTORY).fetchall()
    except sqlite3.Error as error:
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"file: is no history of mem0: {error}", "file") from None
    for memory_id, events in groupby(rows, key=lambda row: row[0]):
        yield from _wordings(str(memory_id), [row[1:] for row in events])


def _wordings(memory_id: str, events: list[tuple[Any, ...]]) -> Iterator[ForeignFact]:
    """What a memory said, each wording until the next; after the last there may be none. An event may change other fields."""
    wordings = [next(same) for _, same in groupby(events, key=lambda event: event[:2])]
    last = len(wordings)
    for number, (one, after) in enumerate(pairwise([*wordings, None]), 1):
        assert one is not None
        content, deleted, since, role, actor = one
        if deleted:
            continue
        times = {"created_at": since, "valid_from": since} | ({"valid_to": after[2]} if after is not None else {})
        name = memory_id if number == last else f"{memory_id}/{number}"
        yield ForeignFact(f"memory {memory_id}", name, content, times=times, source=_who(role), rest={"actor_id": actor})
