"""What the tools answer that show how others came to their answers."""

from typing import Literal, get_args

from pydantic import Field

from commonplace.domain.fields import Result, absent
from commonplace.domain.results import Fraction, Part

Reach = Literal["lexical", "vector", "neighbour", "record", "importance"]
Reason = Literal["limit", "min_relevance", "category", "content_type", "importance_min", "time_range", "include_expired"]
REASONS: tuple[Reason, ...] = get_args(Reason)


class LegHit(Part):
    id: str
    raw: float = Field(description="Of the words the index's own score (BM25), of the meaning the cosine.")


class SearchLegs(Part):
    lexical: list[LegHit] = Field(description="The best by words alone, best first.")
    vector: list[LegHit] = Field(description="The nearest by meaning, nearest first.")


class TracedHit(Part):
    id: str
    relevance_score: Fraction = Field(
        description="That of search_memory: x / (x + 0.2), 0 below 0, where x is raw without its parts called tie_; raw "
        "itself where ranked_by is importance."
    )
    probability: Fraction | None = Field(description="How likely it is right; null where nothing in particular is asked.")
    below_threshold: bool | None = Field(
        None, exclude_if=absent, description="True for the best there is where nothing matches enough."
    )
    raw: float = Field(description="What the memories are ordered by: the sum of the parts.")
    reach: list[Reach] = Field(
        description="How it came to be looked at: by a leg, beside a hit in its session, by reading the records, or by its "
        "importance."
    )
    parts: dict[str, float] = Field(description="What raw is the sum of, by name; parts of 0 are left out.")


class LeftOut(Part):
    id: str
    why: Reason = Field(description="The argument, given or by default, that left it out.")


class TraceResult(Result):
    ranked_by: Literal["window", "classic", "importance"] = Field(
        description="The profile of the ranking; importance for a question that names nothing."
    )
    legs: SearchLegs = Field(description="What words and vectors found, before it was ranked together.")
    results: list[TracedHit] = Field(description="The memories of search_memory, in its order.")
    left_out: list[LeftOut] = Field(description="What matches, or is as important, and was not returned.")
    times_ms: dict[str, float] = Field(description="Milliseconds by step; total: of the whole trace.")
