"""Interactions, and the reports on runs, histories and written pages.

This module also parses stored interactions, runs and tags.
"""

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BeforeValidator, ConfigDict, Field, TypeAdapter, model_validator

from commonplace.domain.fields import (
    MAX_NAME,
    FrozenPart,
    Model,
    Name,
    Request,
    Result,
    Sent,
    absent,
    printable,
    with_substance,
)
from commonplace.domain.results import Recommendations
from commonplace.domain.runs import Run, RunOperation, TagRow
from commonplace.domain.storage import NamedMemory
from commonplace.domain.taxonomy import Status

MAX_INTERACTIONS = 1_000
Role = Literal["user", "assistant"]
Words = Annotated[str, AfterValidator(printable)]
Title = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(printable)]
LedgerState = Literal["pending", "read", "failed"]


ErasedPlace = Literal["search_log", "feedback", "documents", "interactions", "runs", "backups", "exports", "uploads", "pages"]


class Erased(Result):
    """A permanent erasure, without the erased words. `notes` reports copies that remain for a while."""

    memories: int = Field(description="Number of erased memories.")
    ids: tuple[str, ...] = Field(
        (), description="If a memory was named: its id, with those of its history and merges, newest first."
    )
    places: tuple[ErasedPlace, ...] = Field(
        (), description="If a memory or document was named: the other places where something was erased."
    )
    made_again: tuple[str, ...] = Field(
        (), description="Replacements of erased merges: the memory merged from the other sources, or the last source itself."
    )


class LeftPage(FrozenPart):
    """A page that was not changed."""

    name: str
    why: str


class WrittenPages(FrozenPart):
    """The changes to the pages. Pages with the same text as before are not listed."""

    written: tuple[str, ...] = Field((), description="The names of the pages that were written.")
    removed: tuple[str, ...] = Field((), description="Pages of days without notes.")
    left: tuple[LeftPage, ...] = Field((), description="Files of other programs, and edited pages that are not applied yet.")
    unreadable: tuple[str, ...] = Field((), description="Ids of damaged memories, which are on no page.")


class HistoryRequest(NamedMemory):
    """A memory whose history to return; an external id finds the memory that now has it."""


class RefusedInteraction(FrozenPart):
    """An interaction that was not recorded. `id` and `field` are None if unknown.

    An unpaired surrogate in the `id`, which UTF-8 can't encode, is escaped.
    """

    id: str | None
    field: str | None
    message: str


class SkippedMessage(FrozenPart):
    """A message of a discussion that was skipped, or read only in part."""

    id: str | None = Field(description="The id of its interaction.")
    index: int = Field(description="Its position among the messages of the request, from 0.")
    role: str
    reason: str


class RecordResult(FrozenPart):
    recorded: int = Field(description="Number of new interactions, and of known conversations with new messages.")
    known: int = Field(description="Number of known interactions without new messages; the first version stays.")
    refused: list[RefusedInteraction]
    skipped: list[SkippedMessage] = Field(
        default_factory=list, description="Messages of other roles, without text, or with more than text."
    )
    conflicts: list[SkippedMessage] = Field(
        default_factory=list, description="Changed messages of a known conversation; the first version stays."
    )
    redacted: list[str] = Field(description="Kinds of the secrets that were removed.")


class OperationReport(FrozenPart):
    """An operation of a run for display. The texts come from the records."""

    operation: RunOperation
    says: str | None = Field(None, description="The text of the memory that it added or restored.")
    closed: tuple[str, ...] = Field((), description="The texts of the memories that it closed.")
    rests_on: str | None = Field(None, description="The user's words that are the evidence.")


class RunReport(FrozenPart):
    run: Run
    operations: tuple[OperationReport, ...]


class ListedRuns(Result):
    """The response of `GET /runs`."""

    runs: tuple[Run, ...] = Field(description="Newest first; `notes` contains `partial` if older runs did not fit.")


class Step(FrozenPart):
    """One change of a memory."""

    operation: str
    at: datetime


class Value(FrozenPart):
    """A memory that has or had a key."""

    memory_id: str
    value: str
    status: Status
    created_at: datetime
    valid_to: datetime | None
    superseded_by: str | None
    evidence: str | None
    session_id: str | None
    steps: tuple[Step, ...] = Field(description="Its changes, oldest first.")
    recommendations: Recommendations | None = Field(
        None, exclude_if=absent, description="Memories to compare it with, if the store did not wait for them."
    )


class History(Result):
    key: str | None = Field(description="The requested key; for an id, the key of its newest memory, null if it has none.")
    values: tuple[Value, ...] = Field(description="Newest first.")


_ROLES: Mapping[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}
_TEXTS = ("text", "input_text", "output_text")


class ChatPart(Model):
    """A part of a message: OpenAI's `{type, text}` or Bedrock's `{text}`. Only texts are read."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    type: Words = Field("text", description="`text`, or a type that is skipped: an image, a file, a tool's result.")
    text: Words | None = Field(None, description="The words.")

    @model_validator(mode="before")
    @classmethod
    def _normalize_part(cls, value: Any) -> Any:
        """Accept a bare text, or a text inside a `value` field. The type of an untyped part without text is its first key."""
        if isinstance(value, str):
            return {"text": value}
        if not isinstance(value, Mapping):
            return value
        text = value.get("text")
        text = text.get("value") if isinstance(text, Mapping) else text
        words = text if isinstance(text, str) else None
        kind = value.get("type") or ("text" if words is not None else next(iter(value), "nothing"))
        return {"type": kind, "text": words}

    @property
    def words(self) -> str:
        """The text of the part, or "" if the part is not text."""
        return (self.text or "") if self.type in _TEXTS else ""


def _wrap_text_part(content: Any) -> Any:
    return [content] if isinstance(content, str) else content


def _clean_name(value: Any) -> str | None:
    """Return `value` if it is a valid id, and None otherwise."""
    return value if isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable() else None


class ChatMessage(Model):
    """A message in the format of the APIs of OpenAI and Bedrock; other fields are ignored."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    id: Annotated[Name | None, BeforeValidator(_clean_name)] = Field(
        None,
        description="Its id, which identifies it when the conversation is recorded again; without ids, messages are "
        "identified by position and text.",
    )
    role: Name = Field(description="Who said it: `user`, `assistant`, `system`, `developer`, `tool`, ...")
    content: Annotated[
        list[ChatPart] | None,
        BeforeValidator(_wrap_text_part, json_schema_input_type=str | list[ChatPart] | None),
        Sent(form=str | list[ChatPart] | None),
    ] = Field(None, description="What was said.")

    @property
    def speaker(self) -> Role | None:
        """The role of the user or the assistant, or None for any other role."""
        return _ROLES.get(self.role.lower())

    @property
    def words(self) -> str:
        """The texts of the message's parts, joined by line breaks."""
        return "\n".join(filter(None, (part.words for part in self.content or ())))

    @property
    def is_read(self) -> bool:
        """Whether the message contains text from the user or the assistant."""
        return self.speaker is not None and bool(self.words.strip())

    @property
    def not_read(self) -> str | None:
        """The reason why the message is skipped or only partly read, or None if all of it is read."""
        if self.speaker is None:
            return "not said by the user or the assistant"
        other_types = dict.fromkeys(part.type[:40] for part in self.content or () if part.type not in _TEXTS)
        kinds = ", ".join(list(other_types)[:5])
        if not self.words.strip():
            return f"contains no text, only {kinds}" if kinds else "contains no text"
        return f"contains more than text: {kinds}" if kinds else None


class Message(Request):
    """One message of a discussion."""

    role: Role = Field(description="Who wrote it.")
    content: Words = Field(description="What was written.")
    id: Name | None = Field(None, exclude_if=absent, description="Its id, if the caller gave one.")


def _make_optional(schema: dict[str, Any]) -> None:
    schema["required"] = [name for name in schema["required"] if name not in ("id", "time")]


class _Interaction(Request):
    model_config = ConfigDict(json_schema_extra=_make_optional)
    id: Annotated[Name, Sent(optional=True)] = Field(
        description="Its id, unique among the user's interactions. If the id is known, the first version stays, and only new "
        "messages of a conversation are recorded. By default derived from content and day, so that a repeated call is known."
    )
    time: Annotated[datetime, Sent(optional=True)] = Field(
        description="When it took place, ISO 8601; without an offset in the user's time zone. Default: now."
    )


class Discussion(_Interaction):
    """A conversation between the user and an assistant."""

    type: Literal["discussion"]
    messages: Annotated[tuple[Message, ...], Field(min_length=1)] = Field(description="What was said, in order.")
    article_title: Title | None = Field(None, description="The title of the article it was about.")
    part_of: Name | None = Field(
        None, exclude_if=absent, description="The conversation to which these messages were added later."
    )


class SentDiscussion(_Interaction):
    """A conversation between the user and an assistant, also in the formats of OpenAI's and Bedrock's logs."""

    type: Literal["discussion"]
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1)] = Field(
        description="The messages in order. The texts of `user` and `assistant` are read, everything else is `skipped`."
    )
    article_title: Title | None = Field(None, description="The title of the article it was about.")


class Reaction(_Interaction):
    """The user reacted to a post."""

    type: Literal["reaction"]
    post_id: Name
    reaction: Name = Field(description="The reaction, e.g. `like`.")
    title: Title = Field(description="The post's title.")


class Save(_Interaction):
    """The user saved a post to read it."""

    type: Literal["save"]
    post_title: Title
    post_id: Name | None = None


class Explicit(_Interaction):
    """The user asked for something to be remembered or forgotten."""

    type: Literal["explicit"]
    text: Words


class Page(_Interaction):
    """A page that the user read, or the transcript of a conversation with an assistant."""

    type: Literal["page"]
    text: Annotated[Words, AfterValidator(with_substance)] = Field(
        description="Its text. In a transcript with named speakers, the user's turns are read as their own words."
    )
    url: Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(printable)] | None = Field(
        None, description="Its address."
    )
    platform: Name | None = Field(None, description="Its platform, e.g. `web` or `chatgpt`.")


Interaction = Annotated[Discussion | Reaction | Save | Explicit, Field(discriminator="type")]
_QUIET = ConfigDict(hide_input_in_errors=True, defer_build=True)
INTERACTION: TypeAdapter[Interaction] = TypeAdapter(Interaction, config=_QUIET)
"""Parses a recorded interaction of any type."""
SentInteraction = SentDiscussion | Reaction | Save | Explicit | Page
SENT: TypeAdapter[SentInteraction] = TypeAdapter(Annotated[SentInteraction, Field(discriminator="type")], config=_QUIET)
"""Parses an interaction in a request, which may also be a page."""


class RecordRequest(Request):
    """The body of `POST /interactions`."""

    interactions: Annotated[list[Any], Field(max_length=MAX_INTERACTIONS), Sent(form=list[SentInteraction])] = Field(
        description="Each is validated separately: invalid ones are refused, and the others are recorded."
    )


YEARS = range(1970, 2200)
"""The years in which interactions can be recorded. A stored time outside them is clamped."""
_TAG_ROWS: TypeAdapter[dict[str, TagRow]] = TypeAdapter(dict[str, TagRow])
_FIRST, _LAST = datetime(YEARS[0], 1, 2, tzinfo=UTC), datetime(YEARS[-1], 12, 30, tzinfo=UTC)


def texts_of(interaction: Interaction | Page) -> list[str]:
    """Return the texts of an interaction, or an empty list if this kind of interaction has no text."""
    if isinstance(interaction, Discussion):
        return [message.content for message in interaction.messages]
    return [interaction.text] if isinstance(interaction, Explicit | Page) else []


def message_count(interaction: Interaction) -> int:
    """Return the number of messages in a discussion, or 0 for any other interaction."""
    return len(interaction.messages) if isinstance(interaction, Discussion) else 0


def parse_interaction(body: str | bytes) -> Interaction | None:
    """Parse a stored interaction. Returns None if it can't be read. A time outside `YEARS` is clamped."""
    try:
        interaction = INTERACTION.validate_json(body, extra="ignore")
    except ValueError:
        return None
    if interaction.time.year in YEARS:
        return interaction
    return interaction.model_copy(update={"time": _FIRST if interaction.time.year < YEARS[0] else _LAST})


def parse_run(body: str | bytes) -> Run | None:
    """Parse a stored run. Returns None if it can't be read. Fields of newer versions are dropped."""
    try:
        return Run.model_validate_json(body, extra="ignore")
    except ValueError:
        return None


def parse_tag_rows(body: str | None) -> dict[str, TagRow]:
    """Parse a user's tag rows. Returns no rows if they are missing or unreadable, so that a search never fails."""
    try:
        return {} if body is None else _TAG_ROWS.validate_json(body, extra="ignore")
    except ValueError:
        return {}


def tag_rows_text(rows: Mapping[str, TagRow]) -> str:
    """Return tag rows in the JSON format that stores use."""
    return _TAG_ROWS.dump_json(dict(rows), exclude_none=True).decode()
