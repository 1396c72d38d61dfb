"""Ids of memories, operations, runs and stored files. They sort by time, to the millisecond."""

import hashlib
import hmac
import re
from datetime import UTC, datetime

from ulid import ULID

_MEMORY_ID = re.compile(r"mem_[0-9A-Z]{26}")
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # ids can't represent earlier times
_ID = re.compile(r"[a-z]+_[\w-]{1,64}", re.ASCII)


def new_memory_id(at: datetime) -> str:
    """Return `mem_` and a ULID. A time before 1970 counts as 1970."""
    return f"mem_{ULID.from_datetime(max(at, _FIRST))}"


def made_at(memory_id: str) -> datetime | None:
    """Return the creation time encoded in an id. Returns None if the id is not ours."""
    try:
        return ULID.from_str(memory_id.removeprefix("mem_")).datetime
    except (ValueError, OverflowError):
        return None


def new_operation_id(at: datetime) -> str:
    """Return `op_` and a ULID."""
    return f"op_{ULID.from_datetime(at)}"


def first_operation_id(at: datetime) -> str:
    """Return an id that sorts before all operation ids of that moment, and after all earlier ids."""
    return new_operation_id(max(at, _FIRST))[:-16]


def new_run_id(at: datetime) -> str:
    return f"run_{ULID.from_datetime(at)}"


def id_or_key(name: str) -> dict[str, str]:
    """Return a memory's name as a field of a request. The field is `memory_id` for an id, and `key` for any other name."""
    return {"memory_id" if _MEMORY_ID.fullmatch(name) else "key": name}


def may_be_id(text: str) -> bool:
    """Return whether a text can be an id. If not, no store has to be queried."""
    return _ID.fullmatch(text) is not None


def erased_hash(user_id: str, erased_id: str) -> str:
    """Return the stored hash of an erased id, in hex. It can't be looked up without the user's id."""
    return hmac.new(user_id.encode(), erased_id.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def new_file_id(kind: str, at: datetime) -> str:
    """Return the kind of a stored file (`export`, `upload`) and a ULID."""
    return f"{kind}_{ULID.from_datetime(at)}"
