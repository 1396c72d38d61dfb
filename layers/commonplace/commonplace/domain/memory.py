"""The memory record, which all tools share."""

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, ConfigDict, Field, ValidationInfo

from commonplace.domain.fields import Fraction, Model, absent, nearest_moment
from commonplace.domain.flaws import report_clamped
from commonplace.domain.taxonomy import Category, Durability, Emotion, MemoryType, Scope, Section, Source, Status

GLOBAL_AGENT = "global"
DEFAULT_COLLECTION = "default"
DOCUMENTS = "documents"
"""The collection for passages, which are memories derived from documents."""


def _clamp_date(value: datetime, field: ValidationInfo) -> datetime:
    """Return `value`, or the nearest bound if `value` is out of range, which is also reported."""
    nearest = nearest_moment(value)
    if nearest is not value:
        report_clamped(str(field.data.get("memory_id")), str(field.field_name))
    return nearest


ClampedDate = Annotated[datetime, AfterValidator(_clamp_date)]


class Memory(Model):
    """A statement stored for one user.

    Times are aware, and in the years 1 to 9000. `importance` and `confidence` are 0 to 1. `known_as` is the id that an
    insight retains when another record replaces it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True, defer_build=True)

    memory_id: str
    known_as: str | None = Field(None, exclude_if=absent)
    user_id: str
    agent_id: str = GLOBAL_AGENT
    collection: str = DEFAULT_COLLECTION
    key: str | None = None
    raw_text: str
    normalized_text: str
    indexed: Literal["raw_text", "normalized_text"] = "raw_text"
    memory_type: MemoryType
    category: Category
    section: Section
    tags: tuple[str, ...] = ()
    concepts: tuple[str, ...] = ()
    importance: Fraction = 0.5
    confidence: Fraction = 0.8
    emotion: Emotion | None = None
    durability: Durability = "durable"
    scope: Scope = "user_global"
    scope_ref: str | None = None
    source: Source = "user"
    origin: str | None = Field(None, exclude_if=absent)
    session_id: str | None = None
    position: int | None = None
    speaker: str | None = None
    evidence: str | None = None
    user_note: str | None = None
    subject: str | None = None
    event_time: ClampedDate | None = None
    created_at: ClampedDate
    updated_at: ClampedDate
    last_accessed: ClampedDate | None = None
    access_count: Annotated[int, Field(ge=0)] = 0
    valid_from: ClampedDate | None = None
    valid_to: ClampedDate | None = None
    superseded_by: str | None = None
    supersedes: str | None = None
    expires_at: ClampedDate | None = None
    status: Status = "active"
    version: Annotated[int, Field(ge=1)] = 1
    purge_at: ClampedDate | None = None
    embedding_model: str | None = None

    def has_expired(self, now: datetime) -> bool:
        return self.expires_at is not None and self.expires_at <= now

    def has_lapsed(self, now: datetime) -> bool:
        """Return whether the memory is durable but has expired. Daily notes don't count, because they expire by design."""
        return self.durability == "durable" and self.has_expired(now)

    @classmethod
    def from_record(cls, record: str | bytes) -> "Memory":
        """Parse a stored record. Fields from newer versions of Commonplace are dropped, so that a downgrade is possible."""
        return cls.model_validate_json(record, extra="ignore")

    @property
    def public_id(self) -> str:
        """The id that callers use. An insight keeps its first id even after its record has been replaced."""
        return self.known_as or self.memory_id

    def next_version(self, at: datetime, **changed: Any) -> "Memory":
        """Return the next version of the record, with the `changed` fields and with `at` as the time of the update."""
        return self.model_copy(update={**changed, "version": self.version + 1, "updated_at": at})

    @property
    def content(self) -> str:
        """The text that is indexed, embedded and returned."""
        return self.raw_text if self.indexed == "raw_text" else self.normalized_text

    @property
    def is_passage(self) -> bool:
        """Whether the memory is derived from a document that still contains it."""
        return self.collection == DOCUMENTS and self.scope_ref is not None and self.scope_ref == self.session_id

    @property
    def happened_at(self) -> datetime:
        """The event time, or the creation time if the event time is unknown."""
        return self.event_time or self.created_at


def level_of(importance: float) -> int:
    """Convert an importance between 0 and 1 to a level from 1 to 5."""
    return 1 + round(4 * importance)


def importance_of(level: int) -> float:
    """Convert a level from 1 to 5 to an importance between 0 and 1."""
    return (level - 1) / 4
