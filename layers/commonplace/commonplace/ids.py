"""Ids of memories."""

from datetime import datetime

from ulid import ULID


def new_memory_id(at: datetime) -> str:
    """`mem_` and a ULID: sorts by the time given, to the millisecond."""
    return f"mem_{ULID.from_datetime(at)}"
