"""Requests and results of the tools that check the index against the records, repair the index, or explain a search."""

from typing import Literal, get_args

from pydantic import Field

from commonplace.domain.fields import Flag, FrozenPart, Name, Request, Result, absent
from commonplace.domain.results import Fraction, Part
from commonplace.domain.runs import LongResult

Kind = Literal[
    "missing", "behind", "ahead", "different", "orphaned", "miscounted", "unreadable", "held", "broken_link", "circle",
    "same_key", "same_content",
]  # fmt: skip
"""A `missing` record has no index document. A document is `behind` or `ahead` if its version is older or newer than the
record's, `different` if only its content differs, and `orphaned` if it has no record. Stored counts can be `miscounted`. The
other kinds concern records. `held` marks a date outside the supported years, which is clamped and is not an error."""


class ValidateRequest(Request):
    """A check of a user's stored data."""

    run_id: Name | None = Field(None, description="A check that a worker continues: returns its progress, then its result.")
    cursor: Name | None = Field(None, description="The `cursor` of the previous part, to check the next.")


class Finding(FrozenPart):
    """A problem that was found. Contains ids and numbers, never the words of a memory."""

    kind: Kind
    id: str = Field(description="The memory, or the name of something else.")
    detail: str = Field(description="The problem, and the command that fixes it.")
    repairable: bool = Field(description="Whether repair_index fixes it.")


class ValidateResult(LongResult):
    run_id: str | None = Field(None, exclude_if=absent)
    status: Literal["running", "done", "failed"] = Field(
        description="`running`: call again with the cursor, or with the run_id if a worker continues the check."
    )
    ok: bool = Field(description="Whether this part has no problems; `held` alone is not one.")
    checked: int = Field(description="Number of compared records.")
    counts: dict[Kind, int] = Field(description="Number of findings by kind.")
    findings: list[Finding]
    cursor: str | None = Field(None, description="To check the next part; absent after the last part.", exclude_if=absent)


Scope = Literal["missing", "all"]


class RepairRequest(Request):
    """The repair of the index of a user."""

    scope: Scope = Field("missing", description="missing: only inconsistent documents; all: write every document again.")
    dry_run: Flag = Field(True, description="Only report what would be done.")
    run_id: Name | None = Field(None, description="A repair that a worker continues: returns its progress, then its result.")


class FailedRepair(FrozenPart):
    """A document that could not be repaired."""

    id: str
    code: Literal["ahead", "conflict", "refused", "unavailable"] = Field(
        description="ahead: only commonplace reindex fixes it; conflict: two records have the same key or content; refused: "
        "the index does not accept it; unavailable: try again."
    )


class RepairResult(LongResult):
    run_id: str | None = Field(None, exclude_if=absent)
    status: Literal["planned", "running", "done", "failed"] = Field(description="`running`: a worker continues it.")
    indexed: int = Field(description="Documents and wrong counts that were, or would be, written.")
    removed: int = Field(description="Documents without a record that were, or would be, removed.")
    unchanged: int = Field(description="Records with correct documents.")
    failed: list[FailedRepair]


Reach = Literal["lexical", "vector", "neighbour", "record", "importance"]
Reason = Literal["limit", "min_relevance", "category", "content_type", "importance_min", "time_range", "include_expired"]
REASONS: tuple[Reason, ...] = get_args(Reason)


class LegHit(Part):
    id: str
    raw: float = Field(description="For words the index's score (BM25), for vectors the cosine.")


class SearchLegs(Part):
    lexical: list[LegHit] = Field(description="The best matches by words, best first.")
    vector: list[LegHit] = Field(description="The best matches by meaning, best first.")


class TracedHit(Part):
    id: str
    relevance_score: Fraction = Field(
        description="As in search_memory: x / (x + 0.2), 0 below 0, where x is raw without the parts named tie_; raw itself "
        "if ranked_by is importance."
    )
    probability: Fraction | None = Field(description="How likely it answers the question; null for unspecific questions.")
    below_threshold: bool | None = Field(
        None, exclude_if=absent, description="True for the best match if none reaches the threshold."
    )
    raw: float = Field(description="The ranking score: the sum of the parts.")
    reach: list[Reach] = Field(
        description="How it became a candidate: by words, by vector, next to a hit in its session, by a scan of the records, "
        "or by importance."
    )
    parts: dict[str, float] = Field(description="The terms of raw by name, without zeros.")


class LeftOut(Part):
    id: str
    why: Reason = Field(description="The argument, given or default, that excluded it.")


class TraceResult(Result):
    ranked_by: Literal["window", "classic", "importance"] = Field(
        description="The profile of the ranking; importance for a question without content words."
    )
    legs: SearchLegs = Field(description="The matches by words and by vectors, before they are ranked together.")
    results: list[TracedHit] = Field(description="The memories of search_memory, in its order.")
    left_out: list[LeftOut] = Field(description="Memories that match, or are as important, but were not returned.")
    times_ms: dict[str, float] = Field(description="Milliseconds by step; total: of the whole trace.")
