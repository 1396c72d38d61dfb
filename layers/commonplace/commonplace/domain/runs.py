"""Runs, such as a nightly extraction or an undo, each of which can change many memories at once."""

from datetime import date, datetime
from typing import Annotated, Literal

from pydantic import Field, JsonValue

from commonplace.domain.fields import FrozenPart, Result, absent

Mode = Literal["rules", "pipeline", "agent"]
RunKind = Literal[
    "nightly", "undo", "markdown", "tags", "merge", "import", "restore", "migration", "export", "backup", "validation",
    "repair",
]  # fmt: skip
OF_NO_CHANGE: tuple[RunKind, ...] = ("export", "backup", "validation", "repair")
"""The kinds of runs that change no memory and only let a worker continue a long task."""
OF_FILES: tuple[RunKind, ...] = ("import", "restore", "migration")
"""The kinds of runs that import a file. People and programs may apply these runs, but agents may not."""
RunStatus = Literal["queued", "running", "done", "needs_review", "failed"]
"""The stored status of a run. A `queued` run is waiting for a worker and has not changed anything yet."""
PublicStatus = Literal["running", "done", "needs_review", "failed"]
"""The status of a run in tool results, where a queued run is shown as `running`."""
OperationKind = Literal["ADD", "UPDATE", "DELETE", "NOOP", "FORGET", "UNDO"]
Outcome = Literal["planned", "applied", "lost", "over_cap", "needs_review", "discarded", "undone", "kept"]
"""`lost` means that the memory had changed, `over_cap` that a daily limit was reached, and `kept` that an undo skipped it."""

LEFT_IN_LOG = (
    "the erased words are still in the log next to the memory file, because another program is reading it;"
    " the next use of the file after that removes them"
)

_Date = date  # an alias, because `Run` has a field named `date`


class RunOperation(FrozenPart):
    """A planned or applied change of a run. Contains ids and reasons, never the words of a memory."""

    operation_id: str
    kind: OperationKind
    outcome: Outcome
    memory_id: str | None = Field(None, description="The memory that was added or restored.")
    closed: tuple[str, ...] = Field((), description="The memories that were closed.")
    interaction_id: str | None = Field(None, description="The interaction with the evidence.")
    position: int | None = None
    rests_on: tuple[str, ...] = Field((), description="All interactions with evidence, if there are several.")
    day: date | None = Field(None, description="The day that was read.")
    erases: tuple[str, ...] = Field((), description="The interactions that contain the words to forget.")
    why: str = Field(description="The reason, for people: a rule, or the model's explanation.")


class Dropped(FrozenPart):
    """A proposal of a reader, or an entry of a file, that a rule refused."""

    interaction_id: str = Field("", description="The interaction with the words; empty for a file.")
    position: int | None = Field(None, description="The number of the message, or the line of the file.")
    memory_id: str | None = Field(None, description="The existing memory that conflicts with it.", exclude_if=absent)
    code: str | None = Field(None, description="For a file: the error code.", exclude_if=absent)
    field: str | None = Field(None, description="For a file: the invalid field.", exclude_if=absent)
    why: str


class TagMerge(FrozenPart):
    """A tag that was merged into another. `similarity` is 0 to 1. `memories` counts the memories with the tag."""

    tag: str
    into: str
    similarity: float
    why: str
    memories: int


class TagRow(FrozenPart):
    """A tag that is no longer used. `merged`: its memories and queries now use `into`.

    `count` is the number of memories that had the tag. `run_id` is the run that retired the tag. Its undo removes this row.
    """

    status: Literal["merged", "archived"]
    run_id: str
    count: int
    first_used: datetime | None = None
    last_used: datetime | None = None
    into: str | None = None


class Progress(FrozenPart):
    """The progress of a run."""

    done: int = Field(description="Number of finished items.")
    total: int | None = Field(None, description="Number of all items; null while unknown.")


class LongResult(Result):
    """The result of a tool that may take longer than one call. A worker then continues the work."""

    progress: Progress | None = Field(
        None, description="While it is `running`; call the same tool with run_id for the rest.", exclude_if=absent
    )


class Run(FrozenPart):
    """One run. Times are aware. `cost` is in US dollars."""

    run_id: str = Field(description="`run_` and a ULID, which sorts by start time.")
    user_id: str
    kind: RunKind = "nightly"
    date: date
    status: RunStatus = "running"
    mode: Mode | None = None
    model: str | None = None
    prompt_version: str | None = None
    undoes: str | None = Field(None, description="The run or operation that this run undoes.")
    interactions: tuple[str, ...] = Field((), description="The interactions that it reads, fixed at its start.")
    unread: tuple[str, ...] = Field((), description="Interactions that could not be read and stay pending.")
    stopped: tuple[str, ...] = Field((), description="Interactions not read because the run was stopped: no failure.")
    candidates: int = 0
    backup_id: str | None = Field(None, description="For a restore: the backup.")
    operations: tuple[RunOperation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tags: tuple[TagMerge, ...] = Field((), description="The tags that it merged; queries with the old names still work.")
    archived: tuple[str, ...] = Field((), description="The long unused tags that it archived.")
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Annotated[float, Field(ge=0.0)] = 0.0
    started_at: datetime
    finished_at: datetime | None = None
    error: str | None = None
    notes: tuple[str, ...] = Field((), description="Remarks, e.g. that rules replaced the model.")
    through: _Date | None = Field(None, description="The last day up to which all days are finished.")
    attempts: Annotated[int, Field(ge=0)] = Field(0, description="Number of times it was resumed since then.")
    result: dict[str, JsonValue] | None = Field(None, description="Other fields of the tool's result.")

    @property
    def is_at_work(self) -> bool:
        """Whether the run is queued or running."""
        return self.status in ("queued", "running")

    @property
    def public_status(self) -> PublicStatus:
        """The status as tools report it, where a queued run is `running`."""
        return "running" if self.status == "queued" else self.status

    @property
    def progress(self) -> Progress | None:
        """The progress of the run, or None if it is neither queued nor running."""
        if not self.is_at_work:
            return None
        if not self.operations:
            checked = (self.result or {}).get("checked", 0)
            return Progress(done=checked if isinstance(checked, int) else 0)
        left = sum(operation.outcome in ("planned", "needs_review") for operation in self.operations)
        return Progress(done=len(self.operations) - left, total=len(self.operations))
