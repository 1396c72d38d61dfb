"""Bulk imports: statements, conversations as turns or messages, and the records of an export."""

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
    """Statements to be stored, each for itself."""

    memories: Annotated[list[dict[str, Any]], Field(min_length=1, max_length=100), Sent(form=list[StoreRequest])] = Field(
        description="What `store_memory` takes, once for each: {content, context?}."
    )
    wait: Flag = Field(True, description="False: no recommendations are waited for; `history` of a memory tells them.")


class Failure(Part):
    code: str = Field(description="An error code.")
    message: str = Field(description="It names the field, and never quotes a secret.")
    field: str | None = Field(description="The dotted path of the argument at fault, if one is.")
    retryable: bool = Field(description="Whether the same may succeed later.")


class NotStored(Part):
    error: Failure


class StoreManyResult(Result):
    answers: list[StoreResult | NotStored] = Field(description="For each in its order what `store_memory` would answer.")
    refused: int = Field(description="How many of them were not stored.")


class Turn(Request):
    """One message of a conversation to be imported."""

    session_id: Name = Field(description="The conversation or session.")
    position: Annotated[int, Field(ge=0, le=2**31, strict=True)] = Field(description="Its number in the session.")
    speaker: Name = Field(description="Who said it.")
    text: Annotated[str, AfterValidator(printable)] = Field(description="What was said, up to 8,000 characters.")
    event_time: Moment | None = Field(None, description="When it was said, ISO 8601.")


class ImportRequest(Request):
    """A conversation: `messages` to be read, or the `turns` of a transcript to be stored; exactly one of them."""

    messages: Annotated[list[dict[str, Any]] | None, Sent(form=list[ChatMessage])] = Field(
        None,
        min_length=1,
        description="Messages {role, content} in their order, read as `commonplace import` reads them: only the user's own "
        "words become memories. A plan is answered, and with `apply` they are stored as a run, which can be undone.",
    )
    apply: Annotated[bool, Field(strict=True)] = Field(False, description="Of `messages`: store what the plan tells.")
    turns: Annotated[list[dict[str, Any]] | None, Sent(form=list[Turn | ChatMessage])] = Field(
        None,
        validate_default=True,
        description="A transcript, of which each turn {session_id, position, speaker, text, event_time?} or message {role, "
        "content} is stored at once as a memory of its own, whoever said it.",
    )
    keep: Keep = Field("all", description="Of `turns`: `worthy` leaves out small talk and what an assistant says.")

    @field_validator("turns")
    @classmethod
    def _exactly_one(cls, turns: object, given: ValidationInfo) -> object:
        messages = given.data.get("messages")
        if turns is None and messages is None and "messages" in given.data:
            raise PydanticCustomError("missing", "is required, or messages")
        if turns is not None and messages is not None:
            raise PydanticCustomError("exactly_one", "is the form for transcripts, and not given beside messages")
        return turns


class LeftOut(Part):
    turn: int = Field(description="Index of the turn in what was given.")
    why: str


class ImportResult(Result):
    ids: list[str | None] = Field(description="A memory id per turn, in order; null where it was left out.")
    left_out: list[LeftOut]


ImportOutcome = Literal["added", "near_duplicate", "known", "conflict", "refused", "lost"]


class ImportedMemory(Part):
    """An entry and what happens to it, or has happened. A `near_duplicate` is added, beside what is like it."""

    where: str = Field(description="The entry, the line, the file or the conversation.")
    outcome: ImportOutcome
    content: str = Field(description="Its words, without secrets; empty where it is refused.")
    memory_id: str | None = Field(None, description="The memory here that it is compared with, where there is one.")
    why: str | None = Field(None, description="Why it is not added as it is.")


@dataclass(frozen=True)
class ForeignFact:
    """A statement of another store, unchecked. `where`: its place there, for people; `name`: its name there.

    `before`: the preceding message; `times`: by the names of `Fact`, in the store's own format; `rest`: fields without an
    equivalent here; `person`: its owner, in a store that several people share.
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
    rest: Mapping[str, Any] = field(default_factory=dict)
    person: str | None = None

    @property
    def alias(self) -> str:
        """The name as an external id of the memory; an overlong one is shortened and gets a hash."""
        if len(self.name) <= _LONGEST_ALIAS and self.name.isprintable():
            return self.name
        told = "".join(char for char in self.name if char.isprintable())[:_SHOWN]
        return f"{told}/{hashlib.sha256(self.name.encode(errors='replace')).hexdigest()[:32]}"


@dataclass(frozen=True)
class Unread:
    """A part of an import that becomes no memory.

    `said`: a text or a JSON value; `before`: the message before it, which may have asked for a secret.
    """

    where: str
    reason: str
    said: Any
    before: str | None = None


def merged_fields(*parts: Mapping[str, Any]) -> dict[str, Any]:
    """Merge the fields of several objects, without empty ones.

    A different value under a used name gets a number: `source 2`.
    """
    found: dict[str, Any] = {}
    for name, value in (item for part in parts for item in part.items() if item[1] not in (None, "", [], {})):
        number = 1
        while (unused := name if number == 1 else f"{name} {number}") in found and found[unused] != value:
            number += 1
        found[unused] = value
    return found


class Fact(Request):
    """The part of a foreign statement that is validated and redacted before it is stored.

    `valid_to`: since when it is no longer true.
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
    reason: str = Field(description="Why it is left out.")
    text: str = Field(description="Its words, without secrets.")


class Imported(Result):
    """What an import from another store does, or would do."""

    kind: ImportKind = Field(description="What the file holds.")
    why: str = Field(description="By what that was found out.")
    applied: bool = Field(description="False for a plan: nothing was stored yet.")
    run_id: str | None = Field(None, description="By which what was stored is taken back.", exclude_if=absent)
    status: RunStatus | None = Field(None, exclude_if=absent)
    runs: list[str] = Field(default_factory=list, description="Of conversations: all of its runs, oldest first.")
    entries: int = Field(description="How many there are in the file.")
    added: int = Field(description="Memories that were added, or would be.")
    closed: int = Field(0, description="How many are not true any more, and closed.")
    known: list[str] = Field(description="What is here already, by its name in the file.")
    conflicts: list[str] = Field(description="Names that lead to a memory here that says something else; it stays.")
    refused: list[RefusedEntry]
    outcomes: dict[ImportOutcome, int] = Field(
        default_factory=dict, description="How many entries each outcome has; of a large plan the lists hold only the first."
    )
    memories: list[ImportedMemory] = Field(default_factory=list, description="The entries that were asked for.")
    lost: list[str] = Field(default_factory=list, description="What another write came before; the next run takes it.")
    cut: list[str] = Field(default_factory=list, description="Of what the note had no room for all fields.")
    left_out: dict[str, int] = Field(
        default_factory=dict, description="By reason: how many passages, or messages of other roles, become no memory."
    )
    passages: list[LeftOutPassage] = Field(
        default_factory=list, description="These passages, where they are asked for: the first 10,000."
    )
    held: dict[str, list[str]] = Field(
        default_factory=dict, description="By id the dates that lie beyond the years 1 to 9000, and are kept as 1 or 9000."
    )
    people: dict[str, int] = Field(default_factory=dict, description="By name: how many entries belong to each person.")
