"""A memory from an older store, and the requests and results of a migration."""

from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue

from commonplace.domain.fields import End, Moment, Request, Result, Text, printable
from commonplace.domain.requests import Note, Tags
from commonplace.domain.results import Part
from commonplace.domain.runs import RunStatus

MAX_SOURCE = 64


class LegacyMemory(Request):
    """The part of an old record that is validated and redacted like arguments. `category_tags` is the old category."""

    content: Text
    tags: Tags
    category_tags: Tags
    source: Annotated[str, Field(max_length=MAX_SOURCE), AfterValidator(printable)] | None = None
    user_note: Note | None = None
    created_at: Moment | None = None
    last_accessed: Moment | None = None
    expires_at: End | None = None


class LeftOutDocument(Part):
    legacy_id: str
    field: str | None
    code: str
    message: str


class Leftover(Part):
    legacy_id: str
    fields: list[str] = Field(description="The fields of the old record that were moved to `user_note`.")
    cut: bool = Field(description="Whether the note was truncated.")


class TagCounts(Part):
    distinct: int
    assignments: int


class Migration(Result):
    """The plan or result of a migration."""

    applied: bool = Field(description="False for a plan: nothing was changed.")
    run_id: str | None = Field(description="To undo the migration; null if nothing was changed.")
    status: RunStatus | None
    encoding: str
    documents: int = Field(description="Number of documents in the tables that were read.")
    added: int = Field(description="Memories that were, or would be, added.")
    aliases: int = Field(description="Old ids that now are, or would be, names of a memory.")
    known: list[str] = Field(description="Old ids that were migrated before.")
    conflicts: list[str] = Field(description="Old ids of memories that are stored with another text, which stays.")
    lost: list[str] = Field(description="Old ids not migrated because of a concurrent write; the next run migrates them.")
    categories: dict[str, dict[str, int]] = Field(description="By old category: number of memories by new category.")
    tags_before: TagCounts
    tags_after: TagCounts = Field(description="Without the old categories, which remain as tags.")
    tags_renamed: dict[str, str]
    review: list[dict[str, JsonValue]] = Field(
        description="Rows for a person to decide: legacy_id, content, from, to, confidence, why."
    )
    refused: list[LeftOutDocument]
    leftovers: list[Leftover]


class CheckedQuery(Part):
    query: str
    old: list[str] = Field(description="Old ids found by the old store: most words first, then newest.")
    new: list[str] = Field(description="Old ids found by a search here.")
    expected: int = Field(description="Number of expected records.")
    old_recall: float
    new_recall: float


class MigrationCheck(Result):
    """A comparison of the old store's search with the search here, over the migrated records; ten hits each."""

    queries: int
    not_moved: list[str] = Field(description="Old ids without a memory here.")
    old_recall: float = Field(description="The mean share of expected records that the old search finds.")
    new_recall: float
    worse: list[CheckedQuery] = Field(description="Queries for which the search here finds less.")


class CheckRequest(Request):
    """A query to compare. `expected` has the old ids that it should find; default: what the old search finds."""

    query: Text
    expected: list[str] = Field(default_factory=list)
