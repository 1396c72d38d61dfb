"""Requests and results of the maintenance tools."""

from typing import Annotated

from pydantic import ConfigDict, Field

from commonplace.domain.fields import MAX_TEXT, Flag, Fraction, Name, Request, Sent, absent
from commonplace.domain.results import Part
from commonplace.domain.runs import LongResult, ToldStatus

MOST_SOURCES = 10
Sources = Annotated[list[Name], Field(min_length=2, max_length=MOST_SOURCES)]


class PlanRequest(Request):
    """A change of many memories: planned first, and applied by its id, or both at once."""

    dry_run: Flag = Field(True, description="Tell what would be done and keep it for 7 days; change nothing.")
    run_id: Name | None = Field(
        None, description="A plan kept before: with dry_run false exactly that is applied, else it is told again."
    )


class MergeRequest(PlanRequest):
    """Which memories to merge; none to be told which say the same."""

    memory_ids: Annotated[Sources | None, Sent(selects=True)] = Field(
        None, description="The memories to merge into one. Leave them out to be told which ones say the same."
    )


class PlanResult(LongResult):
    """What became of a plan."""

    run_id: str | None = Field(None, description="By it the plan is applied or undone.", exclude_if=absent)
    status: ToldStatus = Field(
        description="`needs_review`: planned and not applied; `done`: applied, or there was nothing to apply; `running`: a"
        " worker goes on with it, and the rest of this answer is empty until then."
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


class OptimizeRequest(PlanRequest):
    """How alike tags must be to become one."""

    threshold: Annotated[float, Field(ge=0.5, le=1.0, strict=True, allow_inf_nan=False)] = Field(
        0.8, description="The least similarity, 0.5 to 1: 1 merges by names and spelling alone."
    )


class TagRename(Part):
    """A tag that goes on under another name."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, serialize_by_alias=True, validate_by_name=True)

    source: str = Field(alias="from", description="The tag; a query for it goes on finding what it did.")
    to: str = Field(description="The name that stays.")
    similarity: Fraction
    why: str
    memories: int = Field(description="How many memories carry it.")


class TagsApart(Part):
    """Two tags that are near and stay two."""

    tags: list[str]
    similarity: Fraction
    why: str


class TagCounts(Part):
    """How few tags tell the memories apart."""

    distinct: int
    assignments: int = Field(description="Tags of all memories, each as often as it is given.")
    reuse_rate: Fraction = Field(description="The share of assignments that reuse a tag.")


class OptimizeResult(PlanResult):
    """The tags that become one."""

    merges: list[TagRename]
    kept_apart: list[TagsApart] = Field(description="Of a new plan the nearest 50 pairs that stay two.")
    archived: list[str] = Field(description="Tags of no active memory for 180 days.")
    before: TagCounts
    after: TagCounts
