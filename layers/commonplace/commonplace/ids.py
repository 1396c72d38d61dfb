"""Ids of memories, operations and runs: each sorts by the time given, to the millisecond."""

from datetime import datetime

from ulid import ULID


def new_memory_id(at: datetime) -> str:
    """`mem_` and a ULID."""
    return f"mem_{ULID.from_datetime(at)}"


def new_operation_id(at: datetime) -> str:
    """`op_` and a ULID."""
    return f"op_{ULID.from_datetime(at)}"


def new_run_id(at: datetime) -> str:
    """`run_` and a ULID."""
    return f"run_{ULID.from_datetime(at)}"
