"""What the tools take and answer that hold the index against the records, and bring it back in line."""

from typing import Literal

from pydantic import Field

from commonplace.domain.fields import FrozenPart, Name, Request, absent
from commonplace.domain.runs import LongResult

Kind = Literal[
    "missing", "behind", "ahead", "different", "orphaned", "miscounted", "unreadable", "held", "broken_link", "circle",
    "same_key", "same_content",
]  # fmt: skip
"""`missing`: a record without a document; `behind`, `ahead`: of an older or newer version; `different`: of the same version
and with something else in it; `orphaned`: a document without a record; `miscounted`: counts kept beside them are wrong.
The others lie in the records: `held` is a date that is read as the nearest bound, and no fault by itself."""


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
    dry_run: bool = Field(True, description="Tells what would be done, and changes nothing.")
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
