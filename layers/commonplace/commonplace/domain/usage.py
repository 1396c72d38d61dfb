"""What the tool takes and answers that tells how the memories are used."""

from datetime import datetime

from pydantic import Field

from commonplace.domain.analysis import Period
from commonplace.domain.fields import Result
from commonplace.domain.results import Part


class UsageRequest(Period):
    """How the memories were used in a period."""


class UsedMemory(Part):
    id: str
    content: str
    count: int = Field(description="How often it was found, ever.")


class NeverUsed(Part):
    count: int = Field(description="Memories that no search has found.")
    ids: list[str] = Field(description="The oldest of them, at most 50.")


class UnansweredQuery(Part):
    query: str = Field(description="What was asked, without secrets, cut to 200 characters.")
    count: int
    last: datetime


class UsageResult(Result):
    timezone: str = Field(description="The zone of hours and weekdays.")
    searches: int = Field(description="Searches of the period, of the last 90 days.")
    by_hour: list[int] = Field(min_length=24, max_length=24, description="Searches by hour of the day, from midnight on.")
    by_weekday: list[int] = Field(min_length=7, max_length=7, description="Searches by day of the week, Monday first.")
    top: list[UsedMemory] = Field(
        description="The memories found most often, at most 10; in a period those that were last found in it."
    )
    never_used: NeverUsed = Field(description="Of the memories that were stored before the end of the period.")
    found_nothing: list[UnansweredQuery] = Field(
        description="What was asked and nothing matched enough, the most often asked first, at most 20."
    )
