"""Ids of memories, operations, runs and kept files: each sorts by the time given, to the millisecond."""

import hashlib
import hmac
import re
from datetime import UTC, datetime

from ulid import ULID

_MEMORY_ID = re.compile(r"mem_[0-9A-Z]{26}")
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # ids know no time before
_ID = re.compile(r"[a-z]+_[\w-]{1,64}", re.ASCII)


def new_memory_id(at: datetime) -> str:
    """`mem_` and a ULID."""
    return f"mem_{ULID.from_datetime(at)}"


def made_at(memory_id: str) -> datetime | None:
    """When an id was made, as it says itself; None for one that is none of ours."""
    try:
        return ULID.from_str(memory_id.removeprefix("mem_")).datetime
    except (ValueError, OverflowError):
        return None


def new_operation_id(at: datetime) -> str:
    """`op_` and a ULID."""
    return f"op_{ULID.from_datetime(at)}"


def first_operation_id(at: datetime) -> str:
    """An id that sorts before those of all operations of that moment, and behind all that were made before."""
    return new_operation_id(max(at, _FIRST))[:-16]


def new_run_id(at: datetime) -> str:
    """`run_` and a ULID."""
    return f"run_{ULID.from_datetime(at)}"


def id_or_key(name: str) -> dict[str, str]:
    """What a person calls a memory by, as the field of a request: its id or, whatever else it is, its key."""
    return {"memory_id" if _MEMORY_ID.fullmatch(name) else "key": name}


def may_be_id(text: str) -> bool:
    """Whether a text that somebody gave as an id may be one; no store has to be asked for what may not."""
    return _ID.fullmatch(text) is not None


def erased_hash(user_id: str, erased_id: str) -> str:
    """What is kept of an id that was erased, in hex: who doesn't know the user can't even ask for it."""
    return hmac.new(user_id.encode(), erased_id.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def new_file_id(kind: str, at: datetime) -> str:
    """The kind of a kept file (`export`, `upload`) and a ULID."""
    return f"{kind}_{ULID.from_datetime(at)}"
