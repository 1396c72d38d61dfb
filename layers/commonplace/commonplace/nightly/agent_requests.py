"""What the memory tools take in the nightly run: as elsewhere, and where a change comes from."""

from typing import Annotated, Any

from pydantic import Field

from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.manifest import schema
from commonplace.models.fields import Fraction, Limit, Name, Query, Request, Text
from commonplace.models.storage import DeleteRequest, Key, ReadRequest, UpdateRequest
from commonplace.nightly.proposals import MAX_CONTENT
from commonplace.taxonomy import Durability, Section

Evidence = Annotated[Text, Field(max_length=LONGEST_EVIDENCE)]
Value = Annotated[Text, Field(max_length=MAX_CONTENT)]

_INTERACTION = Field(description="The `interaction_id` of the message that says it.")
_EVIDENCE = Field(description="The shortest part of the user's own words that says it, letter by letter.")


class Search(Request):
    """A question in plain words."""

    query: Query = Field(description="A question or keywords in plain words.")
    limit: Limit = Field(10, description="The most memories to return.")


class Write(Request):
    """A new memory, with the words that it rests on. Who said it and what is alike the night knows itself."""

    key: Key = Field(description="A short name to find and change it by, e.g. `role`: letters, digits, `_`, `.`, `-`.")
    value: Value = Field(description="What to remember: one self-contained sentence in plain words, never code.")
    category: Section = Field(description="The heading that it stands under.")
    durability: Durability = Field(description="`durable`: true until changed; `daily`: a note that is gone after 90 days.")
    confidence: Fraction = Field(1.0, description="0.9-1.0 said outright, 0.7-0.9 a pattern, 0.5-0.7 a weak sign.")
    interaction_id: Name = _INTERACTION
    evidence: Evidence = _EVIDENCE


class Update(UpdateRequest):
    """A new value, with the words that it rests on."""

    value: Value = Field(description="What is true now: one self-contained sentence in plain words.")
    interaction_id: Name = _INTERACTION
    evidence: Evidence = _EVIDENCE


class Delete(DeleteRequest):
    """A memory to be deleted, with the words that it rests on."""

    interaction_id: Name = _INTERACTION
    evidence: Evidence = _EVIDENCE


REQUESTS: dict[str, tuple[type[Request], str]] = {
    "search_memory": (Search, "Finds memories for a question, nearest first. Look before you write or update."),
    "read_memory": (ReadRequest, "Lists what is remembered under a heading, most important and newest first."),
    "write_memory": (Write, "Remembers something new under a key."),
    "update_memory": (Update, "Gives a key a new value; the old one is closed and kept."),
    "delete_memory": (Delete, "Closes the memory of a key: it is wrong or over, or the user wants it forgotten."),
}
"""Each tool with what it takes and what it is for."""


def tool_list() -> list[dict[str, Any]]:
    """The tools in the terms of the Messages API."""
    return [
        {"name": name, "description": description, "input_schema": schema(request, "validation")}
        for name, (request, description) in REQUESTS.items()
    ]
