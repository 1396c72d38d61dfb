"""Requests and results of the tools that compare the index with the records, repair it, or explain a search."""

from typing import Literal, get_args

from pydantic import Field

from commonplace.domain.fields import Flag, FrozenPart, Name, Request, Result, absent
from commonplace.domain.results import Fraction, Part
from commonplace.domain.runs import LongResult

Kind = Literal[
    "missing", "behind", "ahead", "different", "orphaned", "miscounted", "unreadable", "held", "broken_link", "circle",
    "same_key", "same_content",
]  # fmt: skip
"""`missing`: a record without a document; `behind`, `ahead`: a document of an older or newer version; `different`: of the
same version with other content; `orphaned`: a document without a record; `miscounted`: wrong stored counts. The others are
about the records: `held` is a date read as the nearest bound, and no fault by itself."""


class ValidateRequest(Request):
    """The check of what is kept of a user."""

    run_id: Name | None = Field(None, description="Of a check that a worker goes on with: how far it is, then its result.")
    cursor: Name | None = Field(None, description="`cursor` of the answer before; the check goes on from there.")


class Finding(FrozenPart):
    """One thing that is not as it should be. It tells ids and numbers, never a memory's words."""

    kind: Kind
    id: str = Field(description="The memory; of what is no memory's its own name.")
    detail: str = Field(description="What it is, and the command that helps.")
    repairable: bool = Field(description="Whether repair_index brings it in line.")


class ValidateResult(LongResult):
    run_id: str | None = Field(None, exclude_if=absent)
    status: Literal["running", "done", "failed"] = Field(
        description="`running` where the cursor leads on, or a worker goes on with it by its run_id."
    )
    ok: bool = Field(description="Whether nothing is wrong in this part; `held` alone is nothing wrong.")
    checked: int = Field(description="Records that were compared.")
    counts: dict[Kind, int] = Field(description="How many findings there are, by kind.")
    findings: list[Finding]
    cursor: str | None = Field(
        None, description="Give it back for the next part; not there when there is no more.", exclude_if=absent
    )


Scope = Literal["missing", "all"]


class RepairRequest(Request):
    """The repair of the index of a user."""

    scope: Scope = Field("missing", description="missing: only what is not in line; all: every document is written anew.")
    dry_run: Flag = Field(True, description="Tells what would be done, and changes nothing.")
    run_id: Name | None = Field(None, description="Of a repair that a worker goes on with: how far it is, then its result.")


class FailedRepair(FrozenPart):
    """What could not be brought in line."""

    id: str
    code: Literal["ahead", "conflict", "refused", "unavailable"] = Field(
        description="ahead: only commonplace reindex mends it; conflict: two records claim one place; refused: the index will"
        " not take it; unavailable: try again."
    )


class RepairResult(LongResult):
    run_id: str | None = Field(None, exclude_if=absent)
    status: Literal["planned", "running", "done", "failed"] = Field(description="`running`: a worker goes on with it.")
    indexed: int = Field(description="Documents that are written, or would be; counts that are wrong, too.")
    removed: int = Field(description="Documents without a record that are taken out, or would be.")
    unchanged: int = Field(description="Records whose documents are in line.")
    failed: list[FailedRepair]


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
