"""What the tools of maintenance take and answer."""

from typing import Annotated

from pydantic import Field

from commonplace.domain.fields import MAX_TEXT, Name, Request, Result, absent
from commonplace.domain.results import Part
from commonplace.domain.runs import RunStatus

MOST_SOURCES = 10
DryRun = Annotated[bool, Field(strict=True)]
Sources = Annotated[list[Name], Field(min_length=2, max_length=MOST_SOURCES)]


class PlanRequest(Request):
    """A change of many memories: planned first, and applied by its id, or both at once."""

    dry_run: DryRun = Field(True, description="Tell what would be done and keep it for 7 days; change nothing.")
    run_id: Name | None = Field(
        None, description="A plan kept before: with dry_run false exactly that is applied, else it is told again."
    )


class MergeRequest(PlanRequest):
    """Which memories to merge; none to be told which say the same."""

    memory_ids: Sources | None = Field(
        None, description="The memories to merge into one. Leave them out to be told which ones say the same."
    )


class PlanResult(Result):
    """What became of a plan."""

    run_id: str | None = Field(None, description="By it the plan is applied or undone.", exclude_if=absent)
    status: RunStatus = Field(
        description="`needs_review`: planned and not applied; `done`: applied, or there was nothing to apply."
    )


class MergeGroup(Part):
    """Memories that become one, or could."""

    memory_ids: list[str] = Field(description="The memories, oldest first.")
    why: str = Field(description="Why they belong together, or what became of them.")
    merged_text: str = Field(description=f"What the one memory says, at most {MAX_TEXT:,} characters.")
    refused: str | None = Field(None, description="Why they can't be merged.", exclude_if=absent)


class MergeResult(PlanResult):
    """The merge, or what could be merged."""

    groups: list[MergeGroup] = Field(description="What is, was or could be merged.")
    memory_id: str | None = Field(None, description="The new memory, once it is there.", exclude_if=absent)
