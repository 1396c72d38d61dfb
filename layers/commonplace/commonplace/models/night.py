"""What people and applications get to see of the night: what was recorded, what a run did, what a key has held."""

from datetime import datetime
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from commonplace.models.fields import Request, Result
from commonplace.models.runs import Run, RunOperation
from commonplace.models.storage import Key
from commonplace.taxonomy import Status

MAX_INTERACTIONS = 1_000


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class RecordRequest(Request):
    """What `POST /interactions` takes."""

    interactions: Annotated[list[Any], Field(max_length=MAX_INTERACTIONS)] = Field(
        description="Each is checked on its own: one that is malformed is refused, the others are recorded."
    )


class HistoryRequest(Request):
    """What `GET /history/{key}` takes."""

    key: Key


class RefusedInteraction(_Part):
    """One that was not recorded. `id` and `field` are None where none can be told.

    A lone surrogate in the `id`, which UTF-8 can not say, is told by its escape.
    """

    id: str | None
    field: str | None
    message: str


class RecordResult(_Part):
    recorded: int = Field(description="How many are new.")
    known: int = Field(description="How many ids were there already; what was recorded first stays.")
    refused: list[RefusedInteraction]
    redacted: list[str] = Field(description="Kinds of secrets that were taken out.")


class ToldOperation(_Part):
    """One operation of a run with the words that are in the record, for people."""

    operation: RunOperation
    says: str | None = Field(None, description="The memory that it added or brought back.")
    closed: tuple[str, ...] = Field((), description="What the memories said that it closed.")
    rests_on: str | None = Field(None, description="The user's words that it rests on.")


class ToldRun(_Part):
    run: Run
    operations: tuple[ToldOperation, ...]


class ListedRuns(Result):
    """What `GET /runs` answers."""

    runs: tuple[Run, ...] = Field(description="Newest first; `notes` says `partial` where older ones had no room.")


class Step(_Part):
    """One change of a memory."""

    operation: str
    at: datetime


class Value(_Part):
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


class History(_Part):
    key: str
    values: tuple[Value, ...] = Field(description="Newest first.")
