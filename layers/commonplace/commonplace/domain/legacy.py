"""A memory of another store, and the request and result of a migration."""

from typing import Annotated

from pydantic import AfterValidator, Field, JsonValue

from commonplace.domain.fields import End, Moment, Request, Result, Text, printable
from commonplace.domain.requests import Note, Tags
from commonplace.domain.results import Part
from commonplace.domain.runs import RunStatus

MAX_SOURCE = 64


class LegacyMemory(Request):
    """The part of an old record that is validated and redacted like arguments. `category_tags`: its old category."""

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
    fields: list[str] = Field(description="The fields of the old record that stand in `user_note`.")
    cut: bool = Field(description="Whether there was not room for all of it.")


class TagCounts(Part):
    distinct: int
    assignments: int


class Migration(Result):
    """What a move from an old store does, or would do."""

    applied: bool = Field(description="False for a plan: nothing was changed.")
    run_id: str | None = Field(description="By it the move is undone; null where nothing was changed.")
    status: RunStatus | None
    encoding: str
    documents: int = Field(description="How many there are in the tables that were read.")
    added: int = Field(description="Memories that were added, or would be.")
    aliases: int = Field(description="Old ids that lead to a memory since, or would.")
    known: list[str] = Field(description="Old ids that were moved before.")
    conflicts: list[str] = Field(description="Old ids that lead to a memory here that says something else; left as they are.")
    lost: list[str] = Field(
        description="Old ids of what was said here, by another, in the same moment; the next run takes them."
    )
    categories: dict[str, dict[str, int]] = Field(description="By old category, how many go into which.")
    tags_before: TagCounts
    tags_after: TagCounts = Field(description="Without the old categories, which stay as tags.")
    tags_renamed: dict[str, str]
    review: list[dict[str, JsonValue]] = Field(
        description="What a person decides: legacy_id, content, from, to, confidence, why."
    )
    refused: list[LeftOutDocument]
    leftovers: list[Leftover]


class CheckedQuery(Part):
    query: str
    old: list[str] = Field(description="Old ids as the old store finds them: most words first, then the newest.")
    new: list[str] = Field(description="Old ids of what a search finds here.")
    expected: int = Field(description="How many of the old records are wanted.")
    old_recall: float
    new_recall: float


class MigrationCheck(Result):
    """The old store's search against the one here, over the records that were moved; ten hits each."""

    queries: int
    not_moved: list[str] = Field(description="Old ids that lead nowhere here.")
    old_recall: float = Field(description="The mean share of what is wanted that the old search finds.")
    new_recall: float
    worse: list[CheckedQuery] = Field(description="Queries of which the search here finds less.")


class CheckRequest(Request):
    """A query to compare by. `expected`: the old ids that it should find; without any, what the old search finds."""

    query: Text
    expected: list[str] = Field(default_factory=list)
