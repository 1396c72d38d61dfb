"""Requests and results of the maintenance tools."""

from typing import Annotated

from pydantic import ConfigDict, Field

from commonplace.domain.fields import MAX_TEXT, Flag, Fraction, Name, Request, Sent, absent
from commonplace.domain.results import Part
from commonplace.domain.runs import LongResult, PublicStatus

MOST_SOURCES = 10
Sources = Annotated[list[Name], Field(min_length=2, max_length=MOST_SOURCES)]


class PlanRequest(Request):
    """A change of many memories: planned first and applied by its id, or both at once."""

    dry_run: Flag = Field(True, description="Only plan the change, and store the plan for 7 days.")
    run_id: Name | None = Field(
        None, description="A stored plan: with dry_run false exactly this plan is applied, otherwise it is reported again."
    )


class MergeRequest(PlanRequest):
    """The memories to merge; without any, merges are suggested."""

    memory_ids: Annotated[Sources | None, Sent(selects=True)] = Field(
        None, description="The memories to merge into one. Leave them out to get suggestions."
    )


class PlanResult(LongResult):
    """The result of a plan."""

    run_id: str | None = Field(None, description="To apply or undo the plan.", exclude_if=absent)
    status: PublicStatus = Field(
        description="`needs_review`: planned and not applied; `done`: applied, or there was nothing to apply; `running`: a"
        " worker continues it, and the other fields are empty until then."
    )


class MergeGroup(Part):
    """Memories that are, or could be, merged into one."""

    memory_ids: list[str] = Field(description="The memories, oldest first.")
    why: str = Field(description="Why they belong together, or the outcome.")
    merged_text: str = Field(description=f"The merged text, at most {MAX_TEXT:,} characters.")
    refused: str | None = Field(None, description="Why they can't be merged.", exclude_if=absent)


class MergeResult(PlanResult):
    """A merge, or suggested merges."""

    groups: list[MergeGroup] = Field(description="The planned, applied or suggested merges.")
    memory_id: str | None = Field(None, description="The new memory, once it is stored.", exclude_if=absent)


class OptimizeRequest(PlanRequest):
    """The similarity at which tags are merged."""

    threshold: Annotated[float, Field(ge=0.5, le=1.0, strict=True, allow_inf_nan=False)] = Field(
        0.8, description="The least similarity, 0.5 to 1: 1 merges by names and spelling alone."
    )


class TagRename(Part):
    """A tag that is merged into another."""

    model_config = ConfigDict(extra="forbid", hide_input_in_errors=True, serialize_by_alias=True, validate_by_name=True)

    source: str = Field(alias="from", description="The old name; queries with it still work.")
    to: str = Field(description="The remaining name.")
    similarity: Fraction
    why: str
    memories: int = Field(description="Number of memories with it.")


class TagsApart(Part):
    """Two similar tags that stay separate."""

    tags: list[str]
    similarity: Fraction
    why: str


class TagCounts(Part):
    """Numbers of tags."""

    distinct: int
    assignments: int = Field(description="Number of tags of all memories together.")
    reuse_rate: Fraction = Field(description="The share of assignments that reuse a tag.")


class OptimizeResult(PlanResult):
    """The merges of tags."""

    merges: list[TagRename]
    kept_apart: list[TagsApart] = Field(description="For a new plan: the 50 most similar pairs that stay separate.")
    archived: list[str] = Field(description="Tags without an active memory for 180 days.")
    before: TagCounts
    after: TagCounts
