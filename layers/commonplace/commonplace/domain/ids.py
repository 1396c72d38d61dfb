"""Create ids for memories, operations, runs and stored files. The ids sort by creation time to the millisecond."""

import hashlib
import hmac
import re
from datetime import UTC, datetime

from ulid import ULID

_MEMORY_ID = re.compile(r"mem_[0-9A-Z]{26}")
_FIRST = datetime(1970, 1, 1, tzinfo=UTC)  # ids can't represent earlier times
_ID = re.compile(r"[a-z]+_[\w-]{1,64}", re.ASCII)


def new_memory_id(at: datetime) -> str:
    """Return a new id, which is `mem_` followed by a ULID. A time before 1970 counts as the start of 1970."""
    return f"mem_{ULID.from_datetime(max(at, _FIRST))}"


def made_at(memory_id: str) -> datetime | None:
    """Return the creation time that is encoded in a memory id, or None if the id has a different format."""
    try:
        return ULID.from_str(memory_id.removeprefix("mem_")).datetime
    except (ValueError, OverflowError):
        return None


def new_operation_id(at: datetime) -> str:
    """Return a new id, which is `op_` followed by a ULID."""
    return f"op_{ULID.from_datetime(at)}"


def first_operation_id(at: datetime) -> str:
    """Return an id that sorts before all operation ids created at `at` and after all ids created earlier."""
    return new_operation_id(max(at, _FIRST))[:-16]


def new_run_id(at: datetime) -> str:
    return f"run_{ULID.from_datetime(at)}"


def id_or_key(name: str) -> dict[str, str]:
    """Return `{"memory_id": name}` if `name` has the format of a memory id, and `{"key": name}` otherwise."""
    return {"memory_id" if _MEMORY_ID.fullmatch(name) else "key": name}


def may_be_id(text: str) -> bool:
    """Return whether a string has the format of an id. Only these strings need to be looked up in a store."""
    return _ID.fullmatch(text) is not None


def erased_hash(user_id: str, erased_id: str) -> str:
    """Return the hash, in hex, that is stored for an erased id. The hash is keyed with the user's id."""
    return hmac.new(user_id.encode(), erased_id.encode(errors="surrogatepass"), hashlib.sha256).hexdigest()


def new_file_id(kind: str, at: datetime) -> str:
    """Return a new id for a stored file, which is the kind (e.g. `export`), `_` and a ULID."""
    return f"{kind}_{ULID.from_datetime(at)}"
