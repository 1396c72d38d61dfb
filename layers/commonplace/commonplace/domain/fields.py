"""The kinds of values that requests share, with the checks that every one of them passes."""

import re
from datetime import datetime
from typing import Annotated, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from commonplace.domain.taxonomy import Source

MAX_TEXT = 8_000
ORIGINS = ("conversation", "document", "web", "explicit_mention", "explicit_mention_in_discussion", "batch_extraction")
"""What a memory may have been taken from, beside a discussion by its id."""
_SOURCES = (*get_args(Source), *ORIGINS)
_SOURCE = rf"^({'|'.join(_SOURCES)}|discussion:[\w-]{{1,64}})?$"
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(value: str) -> str:
    """Refuses control characters and lone surrogates."""
    found = _CONTROL.search(value)
    if found:
        code = f"{ord(found[0]):04X}"
        raise PydanticCustomError("control_character", "must not hold the control character U+{code}", {"code": code})
    return value


def with_substance(value: str) -> str:
    """Refuses a text without a letter or digit."""
    if not any(char.isalnum() for char in value):
        raise PydanticCustomError("empty_text", "must hold at least one letter or digit")
    return value


def _known_source(given: str) -> str:
    if not re.fullmatch(_SOURCE, given):
        raise PydanticCustomError("source", "must be one of {known}, or discussion:<id>", {"known": ", ".join(_SOURCES)})
    return given


Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable), AfterValidator(with_substance)]
Query = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable)]
Name = Annotated[str, Field(min_length=1, max_length=128), AfterValidator(printable)]
Tag = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(printable)]
Limit = Annotated[int, Field(ge=1, le=100, strict=True)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, strict=True, allow_inf_nan=False)]
Level = Annotated[int, Field(ge=1, le=5, strict=True)]
Provenance = Annotated[str, AfterValidator(_known_source), Field(json_schema_extra={"pattern": _SOURCE})]
"""Who said it (user, agent, system) or what it was taken from; an empty text tells nothing."""


def provenance_fields(given: str | None) -> dict[str, str]:
    """The fields of the record for a `source`: `source` tells who, `origin` where from; neither where nothing is told.

    They are two, so that a version that knows no origins still reads the record.
    """
    if not given:
        return {}
    return {"source" if given in get_args(Source) else "origin": given}


class Request(BaseModel):
    """Arguments of a tool: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class Place(Request):
    """A place in a conversation."""

    session_id: Name | None = Field(None, description="The conversation or session.")
    position: Annotated[int, Field(ge=0, le=2**31, strict=True)] | None = Field(
        None, description="The number of the message there; neighbours are 1 apart."
    )
    speaker: Name | None = Field(None, description="Who said it, when not the user: a name.")
    event_time: datetime | None = Field(
        None, description="When it was said or happened, ISO 8601; in the user's time zone without an offset."
    )


class FrozenPart(BaseModel):
    """A part of what is kept or answered, unchanged once it is made: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True)


def absent(value: object) -> bool:
    """Whether an optional field is left out of an answer."""
    return value is None


class Notes(BaseModel):
    """What the caller must be told about how this answer came about."""

    model_config = ConfigDict(extra="forbid")
    method: str | None = Field(None, description="How it was made, e.g. `rules` or `claude`.", exclude_if=absent)
    degraded: str | None = Field(None, description="What did not work, and what was done instead.", exclude_if=absent)
    partial: str | None = Field(None, description="What is missing from this answer.", exclude_if=absent)
    redacted: list[str] | None = Field(
        None, description="Kinds of secrets that were taken out of the text.", exclude_if=absent
    )
    warnings: list[str] | None = Field(None, description="What the caller may want to act on.", exclude_if=absent)

    def __bool__(self) -> bool:
        return any(value is not None for value in dict(self).values())


class Result(BaseModel):
    """An answer of a tool."""

    model_config = ConfigDict(extra="forbid")
    notes: Notes | None = Field(
        None, description="Only there when there is something to tell.", exclude_if=lambda notes: not notes
    )
