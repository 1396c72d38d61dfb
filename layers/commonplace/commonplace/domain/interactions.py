"""Interactions of a day and what people see of them: runs, histories, and written pages.

Stored interactions, runs and tags are also parsed here; the functions return None if a text can't be read.
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
    """What was erased for good, never its words; `notes` says so where something is left for a while."""

    memories: int = Field(description="How many memories there were.")
    ids: tuple[str, ...] = Field(
        (), description="Which, where one was named: with its history and what was merged of it, newest first."
    )
    places: tuple[ErasedPlace, ...] = Field(
        (), description="Where else something was erased with one memory or document, by name."
    )
    made_again: tuple[str, ...] = Field(
        (), description="What holds the place of a merged one: the memory of the others, or the last of them itself."
    )


class LeftPage(FrozenPart):
    """A page that was left as it is."""

    name: str
    why: str


class WrittenPages(FrozenPart):
    """What was done. A page that says the same as before is in none of these."""

    written: tuple[str, ...] = Field((), description="The names of the pages that were written.")
    removed: tuple[str, ...] = Field((), description="Days of which no note is left.")
    left: tuple[LeftPage, ...] = Field((), description="What is not ours, or was edited and not taken over yet.")
    unreadable: tuple[str, ...] = Field((), description="Ids of memories that are damaged; they are on no page.")


class HistoryRequest(NamedMemory):
    """A memory whose history is asked for; an old id leads on to what became of it."""


class RefusedInteraction(FrozenPart):
    """One that was not recorded. `id` and `field` are None where none can be told.

    A lone surrogate in the `id`, which UTF-8 can not say, is told by its escape.
    """

    id: str | None
    field: str | None
    message: str


class SkippedMessage(FrozenPart):
    """A message of a discussion that was not read, or not all of it; the others were."""

    id: str | None = Field(description="The id of its interaction.")
    index: int = Field(description="Its place among the messages that were given, from 0.")
    role: str
    reason: str


class RecordResult(FrozenPart):
    recorded: int = Field(description="How many are new, or are known conversations with new messages.")
    known: int = Field(description="How many were there already, with nothing new; what was recorded first stays.")
    refused: list[RefusedInteraction]
    skipped: list[SkippedMessage] = Field(
        default_factory=list, description="Messages of no user or assistant, and those that hold more than text, or no text."
    )
    conflicts: list[SkippedMessage] = Field(
        default_factory=list, description="Messages of a known conversation that changed; what was recorded first stays."
    )
    redacted: list[str] = Field(description="Kinds of secrets that were taken out.")


class OperationReport(FrozenPart):
    """One operation of a run with the words that are in the record, for people."""

    operation: RunOperation
    says: str | None = Field(None, description="The memory that it added or brought back.")
    closed: tuple[str, ...] = Field((), description="What the memories said that it closed.")
    rests_on: str | None = Field(None, description="The user's words that it rests on.")


class RunReport(FrozenPart):
    run: Run
    operations: tuple[OperationReport, ...]


class ListedRuns(Result):
    """What `GET /runs` answers."""

    runs: tuple[Run, ...] = Field(description="Newest first; `notes` says `partial` where older ones had no room.")


class Step(FrozenPart):
    """One change of a memory."""

    operation: str
    at: datetime


class Value(FrozenPart):
    """A memory that holds a key or held it."""

    memory_id: str
    value: str
    status: Status
    created_at: datetime
    valid_to: datetime | None
    superseded_by: str | None
    evidence: str | None
    session_id: str | None
    steps: tuple[Step, ...] = Field(description="What was done to it, oldest first.")
    recommendations: Recommendations | None = Field(
        None, exclude_if=absent, description="What it should be compared with, where the store was not waited for."
    )


class History(Result):
    key: str | None = Field(description="The key that was asked for; of an id, that of its newest memory, null without one.")
    values: tuple[Value, ...] = Field(description="Newest first.")


_ROLES: Mapping[str, Role] = {"user": "user", "human": "user", "assistant": "assistant", "ai": "assistant"}
_TEXTS = ("text", "input_text", "output_text")


class ChatPart(Model):
    """A part of a message: OpenAI's `{type, text}` or Bedrock's `{text}`. Only texts are read."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    type: Words = Field("text", description="`text`, or what is not read: an image, a file, a tool's result.")
    text: Words | None = Field(None, description="The words.")

    @model_validator(mode="before")
    @classmethod
    def _of_any_shape(cls, given: Any) -> Any:
        """Accept a bare text, or an object with `value`; a part without a type gets that of its first key."""
        if isinstance(given, str):
            return {"text": given}
        if not isinstance(given, Mapping):
            return given
        text = given.get("text")
        text = text.get("value") if isinstance(text, Mapping) else text
        words = text if isinstance(text, str) else None
        kind = given.get("type") or ("text" if words is not None else next(iter(given), "nothing"))
        return {"type": kind, "text": words}

    @property
    def words(self) -> str:
        """Its text; empty for other types."""
        return (self.text or "") if self.type in _TEXTS else ""


def _parts(content: Any) -> Any:
    return [content] if isinstance(content, str) else content


def _name_or_none(value: Any) -> str | None:
    return value if isinstance(value, str) and 0 < len(value) <= MAX_NAME and value.isprintable() else None


class ChatMessage(Model):
    """One message of a conversation as the APIs of OpenAI and Bedrock have it; its other fields are not read."""

    model_config = ConfigDict(extra="ignore", frozen=True, hide_input_in_errors=True)

    id: Annotated[Name | None, BeforeValidator(_name_or_none)] = Field(
        None,
        description="Its id, by which it is known when the conversation is recorded again; without ids, messages are known "
        "by their position and text.",
    )
    role: Name = Field(description="Who said it: `user`, `assistant`, `system`, `developer`, `tool`, ...")
    content: Annotated[
        list[ChatPart] | None,
        BeforeValidator(_parts, json_schema_input_type=str | list[ChatPart] | None),
        Sent(form=str | list[ChatPart] | None),
    ] = Field(None, description="What was said.")

    @property
    def speaker(self) -> Role | None:
        """The user or the assistant; None for any other role."""
        return _ROLES.get(self.role.lower())

    @property
    def words(self) -> str:
        """Its text, or the texts of its parts, one per line."""
        return "\n".join(filter(None, (part.words for part in self.content or ())))

    @property
    def is_read(self) -> bool:
        """Whether it contains text of the user or the assistant."""
        return self.speaker is not None and bool(self.words.strip())

    @property
    def not_read(self) -> str | None:
        """Why it is not read, or only partly: another role, no text, or parts that are no text."""
        if self.speaker is None:
            return "not said by the user or the assistant"
        others = dict.fromkeys(part.type[:40] for part in self.content or () if part.type not in _TEXTS)
        kinds = ", ".join(list(others)[:5])
        if not self.words.strip():
            return f"holds no text, only {kinds}" if kinds else "holds no text"
        return f"holds more than text: {kinds}" if kinds else None


class Message(Request):
    """One message of a discussion."""

    role: Role = Field(description="Who wrote it.")
    content: Words = Field(description="What was written.")
    id: Name | None = Field(None, exclude_if=absent, description="Its id, where the caller gave one.")


def _may_be_left_out(schema: dict[str, Any]) -> None:
    schema["required"] = [name for name in schema["required"] if name not in ("id", "time")]


class _Interaction(Request):
    model_config = ConfigDict(json_schema_extra=_may_be_left_out)
    id: Annotated[Name, Sent(optional=True)] = Field(
        description="Its id, unique among the user's interactions: the same id again is known, and the first stays; of a "
        "conversation that has grown the new messages are recorded. Left out: "
        "made of what it says and of its day, so that the same call again is known."
    )
    time: Annotated[datetime, Sent(optional=True)] = Field(
        description="When it was, ISO 8601; without an offset in the user's time zone. Now when left out."
    )


class Discussion(_Interaction):
    """A talk between the user and an assistant."""

    type: Literal["discussion"]
    messages: Annotated[tuple[Message, ...], Field(min_length=1)] = Field(description="What was said, in order.")
    article_title: Title | None = Field(None, description="What it was about.")
    part_of: Name | None = Field(
        None, exclude_if=absent, description="The conversation that grew by these messages, where they came later."
    )


class GivenDiscussion(_Interaction):
    """A talk between the user and an assistant, as it is handed in: in the shapes of OpenAI's and Bedrock's logs, too."""

    type: Literal["discussion"]
    messages: Annotated[tuple[ChatMessage, ...], Field(min_length=1)] = Field(
        description="What was said, in order. The texts of `user` and `assistant` are read, everything else is `skipped`."
    )
    article_title: Title | None = Field(None, description="What it was about.")


class Reaction(_Interaction):
    """The user reacted to a post."""

    type: Literal["reaction"]
    post_id: Name
    reaction: Name = Field(description="Which, e.g. `like`.")
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
    """A page that the user read, or the transcript of their talk with an assistant."""

    type: Literal["page"]
    text: Annotated[Words, AfterValidator(with_substance)] = Field(
        description="What it says; of a transcript, which names its speakers, the user's turns are their words."
    )
    url: Annotated[str, Field(min_length=1, max_length=2_000), AfterValidator(printable)] | None = Field(
        None, description="Where it is."
    )
    platform: Name | None = Field(None, description="What it is on, e.g. `web` or `chatgpt`.")


Interaction = Annotated[Discussion | Reaction | Save | Explicit, Field(discriminator="type")]
_QUIET = ConfigDict(hide_input_in_errors=True, defer_build=True)
INTERACTION: TypeAdapter[Interaction] = TypeAdapter(Interaction, config=_QUIET)
"""Parses a recorded interaction of any type."""
GivenInteraction = GivenDiscussion | Reaction | Save | Explicit | Page
GIVEN: TypeAdapter[GivenInteraction] = TypeAdapter(Annotated[GivenInteraction, Field(discriminator="type")], config=_QUIET)
"""Parses an interaction to be recorded: a page is recorded as what the user did on it."""


class RecordRequest(Request):
    """What `POST /interactions` takes."""

    interactions: Annotated[list[Any], Field(max_length=MAX_INTERACTIONS), Sent(form=list[GivenInteraction])] = Field(
        description="Each is checked on its own: one that is malformed is refused, the others are recorded."
    )


YEARS = range(1970, 2200)
"""Years that may be recorded: beyond them, some zone lacks such a day."""
_TAG_ROWS: TypeAdapter[dict[str, TagRow]] = TypeAdapter(dict[str, TagRow])
_FIRST, _LAST = datetime(YEARS[0], 1, 2, tzinfo=UTC), datetime(YEARS[-1], 12, 30, tzinfo=UTC)


def message_count(interaction: Interaction) -> int:
    """Return how many messages a discussion has; 0 for any other kind."""
    return len(interaction.messages) if isinstance(interaction, Discussion) else 0


def kept_interaction(body: str | bytes) -> Interaction | None:
    """Parse a stored interaction; None if it can't be read. A time beyond the years is clamped."""
    try:
        found = INTERACTION.validate_json(body, extra="ignore")
    except ValueError:
        return None
    if found.time.year in YEARS:
        return found
    return found.model_copy(update={"time": _FIRST if found.time.year < YEARS[0] else _LAST})


def kept_run(body: str | bytes) -> Run | None:
    """Parse a stored run; None if it can't be read. Fields of newer versions are dropped."""
    try:
        return Run.model_validate_json(body, extra="ignore")
    except ValueError:
        return None


def kept_tag_rows(body: str | None) -> dict[str, TagRow]:
    """Parse a user's tag rows; empty without a text or if it can't be read, so that no search fails for it."""
    try:
        return {} if body is None else _TAG_ROWS.validate_json(body, extra="ignore")
    except ValueError:
        return {}


def tag_rows_text(rows: Mapping[str, TagRow]) -> str:
    """Return the rows as a store contains them."""
    return _TAG_ROWS.dump_json(dict(rows), exclude_none=True).decode()
