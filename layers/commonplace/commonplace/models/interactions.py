"""What a day leaves behind: the interactions that the nightly run reads."""

from datetime import datetime
from typing import Annotated, Literal

from pydantic import AfterValidator, Field, TypeAdapter

from commonplace.models.fields import Name, Request, printable

Role = Literal["user", "assistant"]
Words = Annotated[str, AfterValidator(printable)]
Title = Annotated[str, Field(min_length=1, max_length=1_000), AfterValidator(printable)]


class Message(Request):
    """One message of a discussion."""

    role: Role = Field(description="Who wrote it.")
    content: Words = Field(description="What was written.")


class _Interaction(Request):
    id: Name = Field(description="Its id, unique among the user's interactions: the same id again is known, the first stays.")
    time: datetime = Field(description="When it was, ISO 8601; without an offset in the user's time zone.")


class Discussion(_Interaction):
    """A talk between the user and an assistant."""

    type: Literal["discussion"]
    messages: Annotated[tuple[Message, ...], Field(min_length=1)] = Field(description="What was said, in order.")
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


Interaction = Annotated[Discussion | Reaction | Save | Explicit, Field(discriminator="type")]
INTERACTION: TypeAdapter[Interaction] = TypeAdapter(Interaction)
"""Reads one, of whichever type."""

LedgerState = Literal["pending", "read", "failed"]
