"""Read old documents as records, and move fields that have no equivalent to the note."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, tzinfo
from typing import Any, TypeVar

from commonplace.contract import validate
from commonplace.domain.errors import invalid
from commonplace.domain.fields import within_bounds
from commonplace.domain.legacy import MAX_SOURCE, LegacyMemory
from commonplace.memories.enrich import tidy_tags
from commonplace.use_cases.left_out import json_text
from commonplace.use_cases.tinydb import DATE, Document

FIELDS: Mapping[str, tuple[str, ...]] = {
    "id": ("id",), "content": ("content", "text"), "category": ("category",), "tags": ("tags",),
    "importance": ("importance",), "created_at": ("created_at",), "last_accessed": ("last_accessed",),
    "access_count": ("access_count",), "expires_at": ("expires_at",), "source": ("source",), "user_note": ("user_note",),
}  # fmt: skip
"""Maps Commonplace's field names to the possible names in an old record."""
MOST_TAGS, LONGEST_TAG = 31, 64  # plus the old category
_LONGEST_NAME, _LONGEST_NOTE = 128, 2_000
_MILLISECONDS_FROM = 1e11  # in seconds, this is the year 5138
_NEVER = "9999-"
_T = TypeVar("_T")


@dataclass(frozen=True)
class LegacyRecord:
    """An old record with the id `legacy_id`. `left` lists the fields moved to the note. `cut` means that the note was cut."""

    legacy_id: str
    memory: LegacyMemory
    category: str | None
    level: float | None
    access_count: int
    left: tuple[str, ...]
    cut: bool
    redacted: tuple[str, ...]


def field_names(mapping: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """Return `FIELDS` with the caller's names, e.g. `{"content": "body"}`. Raises `INVALID_ARGUMENT` for an unknown field."""
    for name in mapping:
        if name not in FIELDS:
            raise invalid("map", f"there is no field {name}; there are {', '.join(FIELDS)}")
    return {**FIELDS, **{name: (theirs,) for name, theirs in mapping.items()}}


def legacy_ids(documents: Sequence[Document], names: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """Return an id for each document. A document without a unique id gets an id made from its table and number."""
    ids: dict[str, str] = {}
    taken = {document.name for document in documents}
    for document in documents:
        own = _pop(dict(document.fields), names["id"], _parse_identifier)
        ids[document.name] = document.name if own is None or own in taken else own
        taken.add(ids[document.name])
    return ids


def read_record(document: Document, legacy_id: str, names: Mapping[str, Sequence[str]], zone: tzinfo | None) -> LegacyRecord:
    """Convert a document to a record. If the record can't be stored, raises an error that mentions the field."""
    unread = dict(document.fields)
    if _pop(dict(unread), names["id"], _parse_identifier) == legacy_id:
        _pop(unread, names["id"], _parse_identifier)
    content = _pop(unread, names["content"], _parse_text)
    category = _pop(unread, names["category"], _parse_short_text)
    tags, over = split_tags(_pop(unread, names["tags"], _parse_tags) or [])
    unread |= {"tags": over} if over else {}
    level, count = _pop(unread, names["importance"], _parse_level), _pop(unread, names["access_count"], _parse_count)
    data: dict[str, Any] = {
        "content": content,
        "tags": tags,
        "category_tags": list(tidy_tags([category or ""])),
        "source": _pop(unread, names["source"], _parse_short_text),
        "expires_at": _pop(unread, names["expires_at"], _parse_end),
        **{name: _pop(unread, names[name], moment) for name in ("created_at", "last_accessed")},
    }
    note = _pop(unread, names["user_note"], _parse_text)
    left = {name: value for name, value in unread.items() if value is not None}
    data["user_note"], cut = noted(note, left)
    memory, kinds = validate.validate(LegacyMemory, {name: value for name, value in data.items() if value is not None}, zone)
    return LegacyRecord(legacy_id, memory, category, level, count or 0, tuple(left), cut, tuple(kinds))


def _pop(unread: dict[str, Any], names: Iterable[str], read: Callable[[Any], _T]) -> _T | None:
    """Remove the first readable field in `names`, and return its value. Unreadable fields stay in `unread` for the note."""
    for name in names:
        try:
            value = read(unread[name])
        except (KeyError, ValueError, TypeError, OverflowError, OSError):
            continue
        del unread[name]
        return value
    return None


def _parse_text(value: Any) -> str:
    if not isinstance(value, str) or not value.strip():
        raise ValueError
    return value


def _parse_identifier(value: Any) -> str:
    """Return a text or an integer as an id. Raises `ValueError` if it isn't 1 to 128 printable characters."""
    name = str(value).strip() if isinstance(value, (str, int)) and not isinstance(value, bool) else ""
    if not (0 < len(name) <= _LONGEST_NAME and name.isprintable()):
        raise ValueError
    return name


def _parse_tags(value: Any) -> list[str]:
    words = value.split(",") if isinstance(value, str) else value
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise TypeError
    return [word.strip() for word in words if word.strip()]


def split_tags(tags: list[str]) -> tuple[list[str], list[str]]:
    """Return the tags that fit a memory, and the others."""
    short = [tag for tag in dict.fromkeys(tags) if len(tag) <= LONGEST_TAG and tag.isprintable()]
    staying = short[:MOST_TAGS]
    return staying, [tag for tag in dict.fromkeys(tags) if tag not in staying]


def _parse_level(value: Any) -> float:
    if isinstance(value, bool) or not 1 <= float(value) <= 5:
        raise ValueError
    return float(value)


def _parse_count(value: Any) -> int:
    if isinstance(value, bool) or not 0 <= int(value) < 2**53:
        raise ValueError
    return int(value)


def _parse_short_text(value: Any) -> str:
    if len(text := _parse_text(value).strip()) > MAX_SOURCE or not text.isprintable():
        raise ValueError
    return text


def moment(value: Any) -> datetime:
    """Parse seconds or milliseconds since 1970, or an ISO 8601 string. Raises `ValueError` for any other value."""
    if isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value) and value > 0:
        return datetime.fromtimestamp(value / 1000 if value >= _MILLISECONDS_FROM else value, UTC)
    return within_bounds(datetime.fromisoformat(_parse_text(value).strip().removeprefix(DATE).strip()))


def _parse_end(value: Any) -> datetime:
    """Parse an expiry date as `moment` does, but also accept the year 9999, which means never."""
    text = value.strip().removeprefix(DATE).strip() if isinstance(value, str) else ""
    return datetime.fromisoformat(text) if text.startswith(_NEVER) else moment(value)


def noted(own: str | None, left: Mapping[str, Any]) -> tuple[str | None, bool]:
    """Append the remaining fields to a note. Returns the note and whether it was cut."""
    texts = (f"{name}: {json_text(value)}" for name, value in left.items())
    whole = "; ".join([*([own] if own else []), *texts])
    text = "".join(char if char.isprintable() or char in "\n\t" else " " for char in whole)
    return fitted(text) or None, len(text) > _LONGEST_NOTE


def fitted(note: str) -> str:
    """Shorten a note to the maximum length, at the end of a word."""
    if len(note) <= _LONGEST_NOTE:
        return note
    start = note[: _LONGEST_NOTE - 2]
    return f"{start.rpartition(' ')[0] or start} …"
