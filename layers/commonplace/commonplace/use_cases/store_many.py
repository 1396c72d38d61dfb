"""Store many statements in one call. Each statement gets its own result."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.imports import NotStored, StoreManyResult
from commonplace.domain.results import StoreResult
from commonplace.ports.bundle import Ports
from commonplace.ports.values import Caller
from commonplace.use_cases import dispatch

_SECONDS_EACH = 2.0
_NO_TIME = "there was no time left for this statement; send it again"


def store_memories(
    statements: Sequence[Mapping[str, Any]], caller: Caller, ports: Ports, left: Callable[[], float] = lambda: math.inf
) -> StoreManyResult:
    """Store each statement as `store_memory` does, and return errors as results. `left` returns how many seconds remain."""
    answers = [
        _store(arguments, replace(caller, now=caller.now + timedelta(milliseconds=number)), ports, left)
        for number, arguments in enumerate(statements)
    ]  # later statements get later times and therefore later ids
    return StoreManyResult(answers=answers, refused=sum(isinstance(answer, NotStored) for answer in answers))


def _store(arguments: Mapping[str, Any], caller: Caller, ports: Ports, left: Callable[[], float]) -> StoreResult | NotStored:
    """Store one statement. An error, or less than two seconds of time left, gives `NotStored` instead of an exception."""
    if left() < _SECONDS_EACH:
        return NotStored.model_validate(CommonplaceError(ErrorCode.STORAGE_UNAVAILABLE, _NO_TIME).body())
    status, body = dispatch.answer("store_memory", arguments, caller, ports)
    return (StoreResult if status == 200 else NotStored).model_validate(body)
