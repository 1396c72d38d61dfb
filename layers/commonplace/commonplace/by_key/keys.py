"""Which memory a key stands for, as the caller may see it."""

from difflib import get_close_matches

from commonplace.errors import CommonplaceError, ErrorCode
from commonplace.models.memory import DEFAULT_COLLECTION, Memory
from commonplace.ports import Caller, Ports
from commonplace.visibility import may_see, seen_by

_NEAREST, _LIKENESS = 5, 0.4


def held(key: str, caller: Caller, ports: Ports) -> Memory:
    """The current memory that holds the key; `KEY_NOT_FOUND` tells the nearest keys."""
    memory = ports.operations.holder(caller.user_id, DEFAULT_COLLECTION, key, caller.now)
    if memory is not None and may_see(seen_by(caller), memory):
        return memory
    raise unknown_key(key, caller, ports)


def unknown_key(key: str, caller: Caller, ports: Ports) -> CommonplaceError:
    """`KEY_NOT_FOUND` that tells the nearest keys."""
    others = [other for other in ports.operations.keys(seen_by(caller), DEFAULT_COLLECTION) if other != key]
    near = get_close_matches(key, others, _NEAREST, _LIKENESS)
    told = f"the nearest keys are {', '.join(near)}" if near else "no key is like it"
    return CommonplaceError(ErrorCode.KEY_NOT_FOUND, f"key: no memory has the key {key}; {told}", "key")
