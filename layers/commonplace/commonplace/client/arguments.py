"""Defines arguments of `Commonplace` methods. Each typed dictionary has the fields of the request model with the same name.

Times are `datetime`s with a time zone, or ISO 8601 text. Text without an offset is in the user's time zone.
"""

import os
from collections.abc import Sequence
from datetime import datetime
from os import PathLike
from pathlib import Path
from typing import Required, TypedDict

from commonplace.domain.errors import invalid, refuse_half_characters
from commonplace.domain.taxonomy import Category, ContentType, Emotion, InsightType, MemoryType, SearchCategory

_LONGEST_NAME, _LONGEST_PATH = 255, 4_096  # limits of common file systems


def as_path(path: str | PathLike[str], field: str) -> Path:
    """Convert an argument to a path. Raises `INVALID_ARGUMENT` if it is empty, not a path, or an invalid name."""
    if not isinstance(path, (str, PathLike)) or not str(path):
        raise invalid(field, "must be a path")
    named = Path(refuse_half_characters(os.fspath(path), field))
    is_long = len(str(named)) > _LONGEST_PATH or any(len(os.fsencode(part)) > _LONGEST_NAME for part in named.parts)
    if is_long or "\0" in str(named):
        raise invalid(field, f"no file has such a name: at most {_LONGEST_NAME} bytes for each part, and no NUL")
    return named


class Place(TypedDict, total=False):
    """A place in a conversation."""

    session_id: str | None
    position: int | None
    speaker: str | None
    event_time: datetime | str | None


class StoreContext(TypedDict, total=False):
    """Values that override what the engine detects."""

    force_category: Category | None
    force_importance: int | None
    expires_at: datetime | str | None
    additional_tags: Sequence[str] | None
    source: str | None
    user_note: str | None
    place: Place | None
    supersedes: Sequence[str] | None


class TimeSpan(TypedDict, total=False):
    """A half-open range of time: from `after` (inclusive) to `before` (exclusive)."""

    after: datetime | str | None
    before: datetime | str | None


class FilterOptions(TypedDict, total=False):
    """Filters for memories."""

    time_range: TimeSpan | None
    importance_min: int | None
    content_type: ContentType | None
    include_expired: bool


class SearchOptions(FilterOptions, total=False):
    """Filters and limits of a search."""

    limit: int
    min_relevance: float | None


class StoreMetadata(TypedDict, total=False):
    """The metadata of an insight."""

    type: Required[InsightType]
    user: str | None
    importance: float
    confidence: float
    emotion: Emotion | None
    tags: Sequence[str]


class InsightFilter(TypedDict, total=False):
    """Filters for insights."""

    type: InsightType | None
    user: str | None
    minImportance: float | None
    emotion: Emotion | None


class ExportFilter(TypedDict, total=False):
    """Filters for an export. Omitted fields don't restrict the export."""

    category: SearchCategory | None
    type: MemoryType | None
    collection: str | None
    after: datetime | str | None
    before: datetime | str | None
