"""Whether what a file gives as a record is one that can be kept, and what of it is a secret."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, field_serializer

from commonplace.contract import validate
from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import MAX_TEXT, Moment, Name, printable
from commonplace.domain.ids import may_be_id
from commonplace.domain.memory import Memory
from commonplace.domain.storage import normal_key
from commonplace.text.redaction import redact
from commonplace.use_cases.record_files import HISTORY

_TEXTS = ("raw_text", "normalized_text", "evidence", "user_note", "subject", "speaker")
_WORDS = ("tags", "concepts")
_LONG = {"raw_text", "normalized_text", "evidence", "user_note"}  # of the others an index takes no more than this as a whole
_LARGEST = 2**53  # a position, a version, a count: what every store and every JSON keeps exactly
_MOST_WORDS = 1_000  # tags or concepts of a memory: who counts what stands together counts each pair


class PastStep(BaseModel):
    """Something that was done to a memory where it came from."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    operation: Name
    at: Moment

    @field_serializer("at")
    def _iso(self, at: datetime) -> str:
        return at.isoformat()


class PastSteps(BaseModel):
    """All of it, oldest first."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    history: Annotated[list[PastStep], Field(max_length=1_000)] = []


def checked_record(given: Mapping[str, Any], user_id: str, kinds: dict[str, None]) -> tuple[Memory, list[dict[str, str]]]:
    """A record as the user's memory, and its history; `kinds` is told the secrets that were taken out.

    Whose it was is not read, nor are fields that a newer version added. Raises an error that names the field.
    """
    known: Any = given
    if isinstance(given, Mapping):
        known = {name: given[name] for name in Memory.model_fields if name in given} | {"user_id": user_id}
    memory = validate.check(Memory, known)
    _check_values(memory)
    steps = validate.check(PastSteps, {name: given[name] for name in (HISTORY,) if given.get(name) is not None})
    found = redact("\n".join(step.operation for step in steps.history))
    kinds |= dict.fromkeys(found.kinds)
    past = [] if found.kinds else [step.model_dump() for step in steps.history]
    return _redacted(memory, kinds), past


def _check_values(memory: Memory) -> None:
    """What the record's own types let pass, since they are only made from what was checked before."""
    for name, value in memory:
        for text in value if isinstance(value, tuple) else (value,):
            try:
                printable(text if isinstance(text, str) else "")
                if isinstance(text, str) and len(text) > MAX_TEXT and name not in _LONG:
                    raise ValueError(f"must be at most {MAX_TEXT:,} characters")
                normal_key(value if name == "key" and value is not None else "key")
            except ValueError as error:
                raise _refused(name, str(error)) from None
        if isinstance(value, int) and abs(value) > _LARGEST:
            raise _refused(name, f"must be at most {_LARGEST} away from 0")
        if isinstance(value, tuple) and len(value) > _MOST_WORDS:
            raise _refused(name, f"must be at most {_MOST_WORDS:,}")
        if isinstance(value, datetime) and value.tzinfo is None:
            raise _refused(name, "must have an offset, e.g. 2026-05-20T18:30:00+02:00")
    if not may_be_id(memory.memory_id):
        raise _refused("memory_id", "is no id of a memory")
    if memory.status == "active" and not memory.content.strip():  # one that was erased is closed
        raise _refused(memory.indexed, "must hold something, for the memory is active")


def _redacted(memory: Memory, kinds: dict[str, None]) -> Memory:
    changed: dict[str, Any] = {}
    for name in _TEXTS:
        found = redact(getattr(memory, name) or "")
        if found.kinds:
            kinds |= dict.fromkeys(found.kinds)
            changed[name] = found.text
    for name in _WORDS:
        changed[name] = tuple(word for word in getattr(memory, name) if not redact(word).kinds)
    return memory.model_copy(update=changed)


def _refused(name: str, why: str) -> CommonplaceError:
    return CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{name}: {why}", name)
