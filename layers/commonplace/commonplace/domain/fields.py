"""Field types and validators that requests share."""

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
"""The possible origins of a memory, other than `discussion:<id>`."""
_SOURCES = (*get_args(Source), *ORIGINS)
_SOURCE = rf"^({'|'.join(_SOURCES)}|discussion:[\w-]{{1,64}})?$"
EARLIEST, LATEST = datetime(1, 1, 1, tzinfo=UTC), datetime(9000, 12, 31, 23, 59, 59, 999_999, UTC)
"""The earliest and latest datetimes accepted. Calculations that start from these stay within the range of `datetime`."""
_NEVER = 9999
_FIRST_LOCAL = datetime(1, 1, 2, tzinfo=UTC)  # in some zones, `datetime` can represent no earlier day
_CONTROL = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def printable(value: str) -> str:
    """Return `value` unchanged. Rejects unpaired surrogates, and control characters other than tabs and line breaks."""
    match = _CONTROL.search(value)
    if match:
        code = f"{ord(match[0]):04X}"
        raise PydanticCustomError("control_character", "must not contain the control character U+{code}", {"code": code})
    return value


def nearest_moment(value: datetime) -> datetime:
    """Return `value`, or the nearest bound if it is out of range. A datetime without an offset is taken as UTC."""
    if EARLIEST.year < value.year < LATEST.year:  # true for nearly all datetimes, and cheaper than comparing them
        return value
    aware = value if value.tzinfo else value.replace(tzinfo=UTC)
    return EARLIEST if aware < EARLIEST else LATEST if aware > LATEST else value


def within_bounds(value: datetime) -> datetime:
    """Return `value` unchanged. Rejects datetimes outside the years 1 to 9000 in UTC."""
    if nearest_moment(value) is not value:
        raise PydanticCustomError("moment", "must be in the years 1 to 9000, in UTC")
    return value


def in_zone(value: datetime, zone: tzinfo | None) -> datetime:
    """Return `value`, interpreted in `zone` if it has no offset. Rejects datetimes that are then out of range."""
    return value if value.tzinfo else _check_end(value.replace(tzinfo=zone))


def is_never(moment: datetime) -> bool:
    """Return whether a datetime stands for "never", as every datetime in the year 9999 does."""
    return moment.year == _NEVER


def within(moment: datetime, after: datetime | None, before: datetime | None) -> bool:
    """Return whether `after <= moment < before`. A bound that is None, or a `before` that means "never", sets no limit."""
    return (after is None or moment >= after) and (before is None or is_never(before) or moment < before)


def _check_end(value: datetime) -> datetime:
    """Return `value` unchanged. Rejects datetimes that are out of range, unless they stand for "never"."""
    return value if is_never(value) else within_bounds(value)


def local_day(moment: datetime, zone: tzinfo) -> date:
    """Return the local date of `moment` in `zone`. Datetimes before 2 January of the year 1 (UTC) count as that day."""
    return max(moment, _FIRST_LOCAL).astimezone(zone).date()


def with_substance(value: str) -> str:
    """Return `value` unchanged. Rejects a text that contains no letter or digit."""
    if not any(char.isalnum() for char in value):
        raise PydanticCustomError("empty_text", "must contain at least one letter or digit")
    return value


def _check_source(source: str) -> str:
    if not re.fullmatch(_SOURCE, source):
        raise PydanticCustomError("source", "must be one of {known}, or discussion:<id>", {"known": ", ".join(_SOURCES)})
    return source


Moment = Annotated[datetime, AfterValidator(within_bounds)]
End = Annotated[datetime, AfterValidator(_check_end)]
"""The end of a period. A datetime in the year 9999 stands for a period that never ends."""
Text = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable), AfterValidator(with_substance)]
Query = Annotated[str, Field(max_length=MAX_TEXT), AfterValidator(printable)]
MAX_NAME = 128
Name = Annotated[str, Field(min_length=1, max_length=MAX_NAME), AfterValidator(printable)]
Tag = Annotated[str, Field(min_length=1, max_length=64), AfterValidator(printable)]
Flag = Annotated[bool, Field(strict=True)]
"""A boolean. Numbers and strings are rejected."""
Limit = Annotated[int, Field(ge=1, le=100, strict=True)]
Fraction = Annotated[float, Field(ge=0.0, le=1.0, strict=True, allow_inf_nan=False)]
Level = Annotated[int, Field(ge=1, le=5, strict=True)]
Provenance = Annotated[str, AfterValidator(_check_source), Field(json_schema_extra={"pattern": _SOURCE})]
"""The speaker (user, agent, system) or the origin of a memory. An empty string means that the source is unknown."""


def provenance_fields(source: str | None) -> dict[str, str]:
    """Return the field `source` for a speaker, the field `origin` for an origin, or no field for an unknown source.

    Origins have a separate field so that versions of Commonplace without origins can still read the record.
    """
    if not source:
        return {}
    return {"source" if source in get_args(Source) else "origin": source}


@dataclass(frozen=True)
class Sent:
    """An annotation that describes how clients send a field, if the field's type does not show this.

    `form` is the type that clients send, if the items are validated separately later. `selects` marks a field that selects
    the memories to change, where an empty value must not mean "all". `optional` marks a field with a computed default.
    """

    form: Any = None
    selects: bool = False
    optional: bool = False


class Model(BaseModel):
    """Base of the models: a copy refuses fields that the model does not have, which pydantic would accept."""

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """Return a copy with the values in `update`. Raises `TypeError` for an unknown field."""
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
    """Return whether `value` is None. Fields that are None are omitted from the answer."""
    return value is None


OTHER_MODEL = "some memories have vectors of another model, so only their words were compared; run commonplace reindex"
"""The note on an answer that may be incomplete because vectors from different models are never compared."""


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
        None, description="Ids of damaged memories that were left out; absent if there are none.", exclude_if=absent
    )

    def naming(self, flaws: Flaws) -> Self:
        """Return the answer with the ids of any unreadable memories in `flaws`."""
        return self.model_copy(update={"unreadable": list(flaws.unreadable)}) if flaws.unreadable else self
