"""The runs that change memories: the nightly extraction, the undo of a run, an edited file, and tools that change many."""

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
"""Runs that change no memory: they are runs only so that a worker can continue them."""
OF_FILES: tuple[RunKind, ...] = ("import", "restore", "migration")
"""Runs that import a file: only people and programs may apply them."""
RunStatus = Literal["queued", "running", "done", "needs_review", "failed"]
"""`queued`: handed to a worker, and nothing is changed yet."""
ToldStatus = Literal["running", "done", "needs_review", "failed"]
"""The status in tool results, where a queued run is `running`."""
OperationKind = Literal["ADD", "UPDATE", "DELETE", "NOOP", "FORGET", "UNDO"]
Outcome = Literal["planned", "applied", "lost", "over_cap", "needs_review", "discarded", "undone", "kept"]
"""`lost`: the user changed the memory meanwhile, and that change stays. `over_cap`: beyond the daily limit.

`kept`: an undo left it as it is.
"""

LEFT_IN_LOG = (
    "what was erased still stands in the log beside the memory file, for another program is reading there;"
    " it goes with the next use of the file after that"
)

_Date = date  # `Run` has a field of that name


class RunOperation(FrozenPart):
    """One thing that a run did, or did not do. It tells ids and reasons, never a memory's words: those are in the record."""

    operation_id: str
    kind: OperationKind
    outcome: Outcome
    memory_id: str | None = Field(None, description="The memory that was added or restored.")
    closed: tuple[str, ...] = Field((), description="The memories that were closed.")
    interaction_id: str | None = Field(None, description="Where the words are that it rests on.")
    position: int | None = None
    rests_on: tuple[str, ...] = Field((), description="All interactions that it rests on, where they are more than one.")
    day: date | None = Field(None, description="The day that was read.")
    erases: tuple[str, ...] = Field((), description="The interactions that say what is to be forgotten.")
    why: str = Field(description="For people: which rule, or what the model said.")


class Dropped(FrozenPart):
    """Something that a reader proposed, or a file held, and a rule refused."""

    interaction_id: str = Field("", description="Where the words are; of a file empty.")
    position: int | None = Field(None, description="The message of it, or the line of a file.")
    memory_id: str | None = Field(None, description="The memory here that it met.", exclude_if=absent)
    code: str | None = Field(None, description="Of a file: the error's code.", exclude_if=absent)
    field: str | None = Field(None, description="Of a file: the field at fault.", exclude_if=absent)
    why: str


class TagMerge(FrozenPart):
    """A tag that goes on under another name. `similarity`: 0 to 1; `memories`: how many carried it."""

    tag: str
    into: str
    similarity: float
    why: str
    memories: int


class TagRow(FrozenPart):
    """A tag that is in use no more. `merged`: what had it has `into` now, and a query for it means that one.

    `count`: how many memories carried it then; `run_id`: the run that did it, with whose undo the row goes.
    """

    status: Literal["merged", "archived"]
    run_id: str
    count: int
    first_used: datetime | None = None
    last_used: datetime | None = None
    into: str | None = None


class Progress(FrozenPart):
    """How far a run is."""

    done: int = Field(description="How much of it is done.")
    total: int | None = Field(None, description="Of how much; null while that is not known yet.")


class LongResult(Result):
    """The answer of a tool that a worker goes on with where its call has no time for all of it."""

    progress: Progress | None = Field(
        None, description="While it is `running`: how far it is. The same tool with run_id tells the rest.", exclude_if=absent
    )


class Run(FrozenPart):
    """One run. Times are aware; `cost` is in US dollars."""

    run_id: str = Field(description="`run_` and a ULID: sorts by its beginning.")
    user_id: str
    kind: RunKind = "nightly"
    date: date
    status: RunStatus = "running"
    mode: Mode | None = None
    model: str | None = None
    prompt_version: str | None = None
    undoes: str | None = Field(None, description="The run or operation that this one takes back.")
    interactions: tuple[str, ...] = Field((), description="What it reads; fixed when it begins.")
    unread: tuple[str, ...] = Field((), description="Of those, what could not be read and stays pending.")
    stopped: tuple[str, ...] = Field((), description="Of those, where the run was stopped and no reading failed: no fault.")
    candidates: int = 0
    backup_id: str | None = Field(None, description="Of a restore: the backup that it brings back.")
    operations: tuple[RunOperation, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    tags: tuple[TagMerge, ...] = Field((), description="The tags that it gave another name; they still find what they did.")
    archived: tuple[str, ...] = Field((), description="The tags that it put aside, unused for long.")
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0
    cost: Annotated[float, Field(ge=0.0)] = 0.0
    started_at: datetime
    finished_at: datetime | None = None
    error: str | None = None
    notes: tuple[str, ...] = Field((), description="What else to tell, e.g. that rules stood in for the model.")
    through: _Date | None = Field(None, description="Every day up to this one is read and done.")
    attempts: Annotated[int, Field(ge=0)] = Field(0, description="How often it was taken up again since then.")
    result: dict[str, JsonValue] | None = Field(None, description="What else the tool that made it tells of it.")

    @property
    def is_at_work(self) -> bool:
        """Whether a worker continues it, or should."""
        return self.status in ("queued", "running")

    @property
    def told_status(self) -> ToldStatus:
        """The status as tools report it."""
        return "running" if self.status == "queued" else self.status

    @property
    def progress(self) -> Progress | None:
        """The progress, while the run is queued or running."""
        if not self.is_at_work:
            return None
        if not self.operations:
            checked = (self.result or {}).get("checked", 0)
            return Progress(done=checked if isinstance(checked, int) else 0)
        left = sum(one.outcome in ("planned", "needs_review") for one in self.operations)
        return Progress(done=len(self.operations) - left, total=len(self.operations))
