"""Requests and results of bulk imports, which read statements, conversations, or the records of an export."""

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from commonplace.domain.fields import End, Flag, Moment, Name, Request, Result, Sent, Text, absent, printable
from commonplace.domain.interactions import ChatMessage
from commonplace.domain.requests import Note, StoreRequest, Tags
from commonplace.domain.results import Part, StoreResult
from commonplace.domain.runs import RunStatus
from commonplace.domain.taxonomy import ImportKind, Source

Keep = Literal["all", "worthy"]
_LONGEST_ALIAS, _SHOWN = 128, 90


class StoreManyRequest(Request):
    """Statements to store, each on its own."""

    memories: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=100), Sent(form=list[StoreRequest])] = Field(
        description="The arguments of `store_memory` for each statement: {content, context?}."
    )
    wait: Flag = Field(True, description="False: don't wait for recommendations; `history` of a memory returns them.")


class Failure(Part):
    code: str = Field(description="An error code.")
    message: str = Field(description="Names the field, and never quotes a secret.")
    field: str | None = Field(description="The dotted path of the invalid argument, if any.")
    retryable: bool = Field(description="Whether the same call may succeed later.")


class NotStored(Part):
    error: Failure


class StoreManyResult(Result):
    answers: list[StoreResult | NotStored] = Field(description="The result of `store_memory` for each, in order.")
    refused: int = Field(description="Number of statements that were not stored.")


class Turn(Request):
    """A message of a conversation to import."""

    session_id: Name = Field(description="The conversation or session.")
    position: Annotated[int, Field(ge=0, le=2**31, strict=True)] = Field(description="Its number in the session.")
    speaker: Name = Field(description="Who said it.")
    text: Annotated[str, AfterValidator(printable)] = Field(description="What was said, up to 8,000 characters.")
    event_time: Moment | None = Field(None, description="When it was said, ISO 8601.")


class ImportRequest(Request):
    """A conversation: either `messages` to read, or the `turns` of a transcript to store."""

    messages: Annotated[list[dict[str, Any]] | None, Sent(form=list[ChatMessage])] = Field(
        None,
        min_length=1,
        description="Messages {role, content} in order, read as by `commonplace import`: only the user's own words become "
        "memories. Returns a plan, or with `apply` stores the memories as a run, which can be undone.",
    )
    turns: Annotated[list[dict[str, Any]] | None, Sent(form=list[Turn | ChatMessage])] = Field(
        None,
        validate_default=True,
        description="A transcript: each turn {session_id, position, speaker, text, event_time?} or message {role, content} "
        "of any speaker is stored at once as a memory.",
    )
    apply: Annotated[bool, Field(strict=True)] = Field(False, description="For `messages`: apply the plan.")
    keep: Keep = Field("all", description="For `turns`: `worthy` skips small talk and turns of the assistant.")

    @field_validator("turns")
    @classmethod
    def _require_either(cls, turns: object, info: ValidationInfo) -> object:
        messages = info.data.get("messages")
        if turns is None and messages is None and "messages" in info.data:
            raise PydanticCustomError("missing", "is required, or messages")
        if turns is not None and messages is not None:
            raise PydanticCustomError("exactly_one", "is for transcripts, and can't be combined with messages")
        return turns

    @field_validator("apply", "keep")
    @classmethod
    def _refuse_with_other(cls, value: object, info: ValidationInfo) -> object:
        own, other = ("messages", "turns") if info.field_name == "apply" else ("turns", "messages")
        if info.data.get(other) is not None:
            raise PydanticCustomError("for_other", "is for {a}, and can't be combined with {b}", {"a": own, "b": other})
        return value


class LeftOut(Part):
    turn: int = Field(description="Index of the turn in the request.")
    why: str


class ImportResult(Result):
    ids: list[str | None] = Field(description="A memory id per turn, in order; null if it was skipped.")
    left_out: list[LeftOut]


ImportOutcome = Literal["added", "near_duplicate", "known", "conflict", "refused", "lost"]


class ImportedMemory(Part):
    """An entry and its planned or actual outcome. A `near_duplicate` is added next to the similar memory."""

    where: str = Field(description="The entry, the line, the file or the conversation.")
    outcome: ImportOutcome
    content: str = Field(description="Its text, without secrets; empty if it is refused.")
    memory_id: str | None = Field(None, description="The existing memory that it was compared with, if any.")
    why: str | None = Field(None, description="Why it is not simply added.")


@dataclass(frozen=True)
class ForeignFact:
    """A statement from another store, before validation. `where` and `name` are its location and its name in that store.

    `before` is the preceding message. `times` maps time fields of `Fact` to values in the other store's format. `extra`
    contains fields without an equivalent in Commonplace. `person` is the owner, if several people share the other store.
    """

    where: str
    name: str
    content: Any
    before: str | None = None
    tags: Any = ()
    times: Mapping[str, Any] = field(default_factory=dict)
    source: Source = "user"
    speaker: str | None = None
    session_id: str | None = None
    position: int | None = None
    extra: Mapping[str, Any] = field(default_factory=dict)
    person: str | None = None

    @property
    def alias(self) -> str:
        """The external id of the memory. If the name is too long or unprintable, the id is a prefix and a hash."""
        if len(self.name) <= _LONGEST_ALIAS and self.name.isprintable():
            return self.name
        printable = "".join(char for char in self.name if char.isprintable())[:_SHOWN]
        return f"{printable}/{hashlib.sha256(self.name.encode(errors='replace')).hexdigest()[:32]}"


@dataclass(frozen=True)
class Unread:
    """A part of an import that is not stored as a memory.

    `content` is a text or a JSON value. `before` is the preceding message. It may have asked for a secret.
    """

    where: str
    reason: str
    content: Any
    before: str | None = None


def merged_fields(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the non-empty fields of several objects. A second, different value for `source` is stored under `source 2`."""
    entries: dict[str, Any] = {}
    for name, value in (item for part in parts for item in part.items() if item[1] not in (None, "", [], {})):
        number = 1
        while (unused := name if number == 1 else f"{name} {number}") in entries and entries[unused] != value:
            number += 1
        entries[unused] = value
    return entries


class Fact(Request):
    """The part of a foreign statement that is validated and redacted before it is stored.

    `valid_to` is the time when the statement became untrue.
    """

    content: Text
    tags: Tags
    user_note: Note | None = None
    speaker: Name | None = None
    session_id: Name | None = None
    position: Annotated[int, Field(ge=0, le=2**31, strict=True)] | None = None
    created_at: Moment | None = None
    last_accessed: Moment | None = None
    event_time: Moment | None = None
    valid_from: Moment | None = None
    valid_to: Moment | None = None
    expires_at: End | None = None


class RefusedEntry(Part):
    where: str = Field(description="The entry, the line or the file.")
    field: str | None
    code: str = Field(description="An error code.")
    message: str


class LeftOutPassage(Part):
    where: str = Field(description="The entry, the line, the file or the message.")
    reason: str = Field(description="Why it is skipped.")
    text: str = Field(description="Its text, without secrets.")


class Imported(Result):
    """The plan or result of an import from another store."""

    kind: ImportKind = Field(description="The format of the file.")
    why: str = Field(description="How the format was detected.")
    applied: bool = Field(description="False for a plan: nothing was stored yet.")
    run_id: str | None = Field(None, description="To undo the import.", exclude_if=absent)
    status: RunStatus | None = Field(None, exclude_if=absent)
    runs: list[str] = Field(default_factory=list, description="For conversations: all runs, oldest first.")
    entries: int = Field(description="Number of entries in the file.")
    added: int = Field(description="Number of memories that were, or would be, added.")
    closed: int = Field(0, description="Number of memories that are no longer true, and are closed.")
    known: list[str] = Field(description="Entries that are stored already, by their name in the file.")
    conflicts: list[str] = Field(description="Names of memories that are stored with another text, which stays.")
    refused: list[RefusedEntry]
    outcomes: dict[ImportOutcome, int] = Field(
        default_factory=dict, description="Number of entries by outcome; the lists of a large plan contain only the first."
    )
    memories: list[ImportedMemory] = Field(default_factory=list, description="The requested entries.")
    lost: list[str] = Field(
        default_factory=list, description="Entries not added because of a concurrent write; the next import adds them."
    )
    cut: list[str] = Field(default_factory=list, description="Entries with more fields than fit in the note.")
    left_out: dict[str, int] = Field(
        default_factory=dict, description="By reason: number of passages, or messages of other roles, without a memory."
    )
    passages: list[LeftOutPassage] = Field(
        default_factory=list, description="The first 10,000 of these passages, if requested."
    )
    held: dict[str, list[str]] = Field(
        default_factory=dict, description="By id: dates outside the years 1 to 9000, which are stored as 1 or 9000."
    )
    people: dict[str, int] = Field(default_factory=dict, description="By name: number of entries of each person.")
