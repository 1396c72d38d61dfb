"""The kinds of values that requests share, with their checks."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, date, datetime, tzinfo
from typing import Annotated, Any, Self, get_args

from pydantic import AfterValidator, BaseModel, ConfigDict, Field
from pydantic_core import PydanticCustomError

from commonplace.domain.flaws import Flaws
from commonplace.domain.taxonomy import Source

MAX_TEXT = 8_000
ORIGINS = ("conversation", "document", "web", "explicit_mention", "explicit_mention_in_discussion", "batch_extraction")
"""Possible origins of a memory, besides a discussion by its id."""
_SOURCES = (*get_args(Source), *ORIGINS)
_SOURCE = rf"^({'|'.join(_SOURCES)}|discussion:[\w-]{{1,64}})?$"
EARLIEST, LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9000, 12, 31, 23, 59, 59, 999_999, UTC)
"""The first and last moment accepted: calculations from them stay within the range of `datetime`."""
_NEVER = 9999
_FIRST_LOCAL = datetime(1, 1, 2, tzinfo=UTC)  # some zones have no earlier day
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(value: str) -> str:
    """Return a text. Refuses control characters and unpaired surrogates."""
    match = _CONTROL.search(value)
    if match:
        code = f"{ord(match[0]):04X}"
        raise PydanticCustomError("control_character", "must not contain the control character U+{code}", {"code": code})
    return value


def nearest_moment(value: datetime) -> datetime:
    """Return the moment itself, or the bound that it exceeds. A moment without an offset is in UTC."""
    if EARLIEST.year < value.year < LATEST.year:  # nearly all; comparing moments costs more
        return value
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return EARLIEST if aware < EARLIEST else LATEST if aware > LATEST else value


def within_bounds(value: datetime) -> datetime:
    """Return a moment. Refuses moments outside of the years 1 to 9000 in UTC."""
    if nearest_moment(value) is not value:
        raise PydanticCustomError("moment", "must be in the years 1 to 9000, in UTC")
    return value


def in_zone(value: datetime, zone: tzinfo | None) -> datetime:
    """Return a moment, in the zone if it has no offset. Refuses moments outside of the bounds."""
    return value if value.tzinfo else _check_end(value.replace(tzinfo=zone))


def is_never(moment: datetime) -> bool:
    """Return whether a moment means "never ends". These moments are in the year 9999."""
    return moment.year == _NEVER


def within(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    """Return whether a moment is in a half-open period. A bound may be missing. The end may be "never"."""
    return (after is None or moment >= after) and (before is None or is_never(before) or moment < before)


def _check_end(value: datetime) -> datetime:
    """Return a moment, which may mean "never ends". Refuses other moments outside of the bounds."""
    return value if is_never(value) else within_bounds(value)


def local_day(moment: datetime, zone: tzinfo) -> date:
    """Return the day of a moment in a zone. The first hours of year 1 count as the first day that every zone has."""
    return max(moment, _FIRST_LOCAL).astimezone(zone).date()


def with_substance(value: str) -> str:
    """Return a text. Refuses a text without a letter or digit."""
    if not any(char.isalnum() for char in value):
        raise PydanticCustomError("empty_text", "must contain at least one letter or digit")
    return value


def _check_source(source: str) -> str:
    if not re.fullmatch(_SOURCE, source):
        raise PydanticCustomError("source", "must be one of {known}, or discussion:<id>", {"known": ", ".join(_SOURCES)})
    return source


Moment = Annotated[datetime, AfterValidator(within_bounds)]
End = Annotated[datetime, AfterValidator(_check_end)]
"""The end of something; a moment of the year 9999 means that it never ends."""
Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable), AfterValidator(with_substance)]
Query = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable)]
MAX_NAME = 128
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(printable)]
Tag = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(printable)]
Flag = Annotated[bool, Field(strict=True)]
"""True or false; numbers and other words are refused."""
Limit = Annotated[int, Field(ge=1, le=100, strict=True)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, strict=True, allow_inf_nan=False)]
Level = Annotated[int, Field(ge=1, le=5, strict=True)]
Provenance = Annotated[str, AfterValidator(_check_source), Field(json_schema_extra={"pattern": _SOURCE})]
"""The speaker (user, agent, system), or the origin; an empty text means unknown."""


def provenance_fields(source: str | None) -> dict[str, str]:
    """Return the field `source` for a speaker, `origin` for another origin, or no field if the source is unknown.

    There are two fields so that a version without origins still reads the record.
    """
    if not source:
        return {}
    return {"source" if source in get_args(Source) else "origin": source}


@dataclass(frozen=True)
class Sent:
    """A mark on a field that says how clients send it, where the type does not.

    `form` is the type of the value, if its items are validated separately later. `selects` is True if the field selects the
    memories of a change. An empty value must not mean "all" then. `optional` is True if a missing value is completed.
    """

    form: Any = None
    selects: bool = False
    optional: bool = False


class Model(BaseModel):
    """Base of the models: a copy refuses fields that the model does not have, which pydantic would accept."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with other values. Raises `TypeError` for an unknown field."""
        if unknown := set(update or ()) - type(self).model_fields.keys():
            raise TypeError(f"{type(self).__name__} has no field {', '.join(sorted(unknown))}")
        return super().model_copy(update=update, deep=deep)


class Request(Model):
    """Arguments of a tool: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


class Place(Request):
    """A place in a conversation."""

    session_id: Name | None = Field(None, description="The conversation or session.")
    position: Annotated[int, Field(ge=0, le=2**31, strict=True)] | None = Field(
        None, description="The number of the message; neighbours are 1 apart."
    )
    speaker: Name | None = Field(None, description="The name of the speaker, if not the user.")
    event_time: Moment | None = Field(
        None, description="When it was said or happened, ISO 8601; in the user's time zone without an offset."
    )


class FrozenPart(Model):
    """A part of a stored record or an answer, immutable: unknown fields are refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)


def absent(value: object) -> bool:
    """Return whether an optional field is omitted from an answer."""
    return value is None


OTHER_MODEL = "some memories have vectors of another model, so only their words were compared; run commonplace reindex"
"""The note of an answer that may lack memories, because vectors of different models are never compared."""


class Notes(Model):
    """What the caller should know about how the answer was made."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)
    method: str | None = Field(None, description="How it was made, e.g. `rules` or `claude`.", exclude_if=absent)
    degraded: str | None = Field(None, description="What failed, and what was done instead.", exclude_if=absent)
    partial: str | None = Field(None, description="What is missing from this answer.", exclude_if=absent)
    redacted: list[str] | None = Field(
        None, description="Kinds of secrets that were removed from the text.", exclude_if=absent
    )
    warnings: list[str] | None = Field(None, description="Problems that the caller may want to fix.", exclude_if=absent)

    def __bool__(self) -> bool:
        return any(value is not None for value in dict(self).values())


class Result(Model):
    """An answer of a tool."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, defer_build=True)
    notes: Notes | None = Field(
        None, description="Notes on the answer; absent if there are none.", exclude_if=lambda notes: not notes
    )
    unreadable: list[str] | None = Field(
        None, description="Ids of damaged memories that were left out; absent if there are none.",
        exclude_if=absent,
    )  # fmt: skip

    def naming(self, flaws: Flaws) -> Self:
        """Return the answer with the ids of the records that could not be read."""
        return self.model_copy(update={"unreadable": list(flaws.unreadable)}) if flaws.unreadable else self
