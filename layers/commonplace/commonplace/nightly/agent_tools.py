"""The memory tools of agent mode and their arguments: they change a plan, and read the memories with that plan applied."""

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import Fraction, Limit, Name, Query, Request, Text
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import Key, ReadRequest
from commonplace.domain.taxonomy import Durability, Section
from commonplace.extraction.candidate import MemoryView
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Day
from commonplace.extraction.grounding.support import subject_stems
from commonplace.nightly.agent_plan import AgentPlan, RejectedCall
from commonplace.nightly.llm_extraction import MAX_CONTENT, first_error

Evidence = Annotated[Text, Field(max_length=LONGEST_EVIDENCE)]
Value = Annotated[Text, Field(max_length=MAX_CONTENT)]

_INTERACTION = Field(description="The `interaction_id` of the message that says it.")
_EVIDENCE = Field(description="The shortest part of the user's own words that says it, letter by letter.")
_UPDATED = 0.9


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


class Update(Request):
    """A new value, with the words that it rests on."""

    key: Key = Field(description="The key of the memory that has changed.")
    value: Value = Field(description="What is true now: one self-contained sentence in plain words.")
    category: Section | None = Field(None, description="Another heading; the old one when left out.")
    interaction_id: Name = _INTERACTION
    evidence: Evidence = _EVIDENCE


class Delete(Request):
    """A memory to be deleted, with the words that it rests on."""

    key: Key = Field(description="The key of the memory.")
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
    """The tools as definitions of the Messages API."""
    return [
        {"name": name, "description": description, "input_schema": schema(request, "validation")}
        for name, (request, description) in REQUESTS.items()
    ]


class AgentTools:
    """The five memory tools for one day; they change only the plan."""

    def __init__(self, day: Day, view: MemoryView, now: datetime) -> None:
        self.plan = AgentPlan(day, view, now)
        self._shown: dict[str, Memory] = {}
        self._looked: set[str] = set()
        self._tools: dict[str, Callable[[Any], Mapping[str, object]]] = {
            "search_memory": self._search,
            "read_memory": self._read,
            "write_memory": self._write,
            "update_memory": self._update,
            "delete_memory": self._delete,
        }

    def call(self, name: object, given: object) -> tuple[Mapping[str, object], bool]:
        """Runs a tool call; returns its answer and whether it was rejected, in which case nothing changed."""
        try:
            if not isinstance(name, str) or name not in self._tools:
                raise RejectedCall(f"there is no such tool; there are {', '.join(self._tools)}")
            return self._tools[name](REQUESTS[name][0].model_validate(given)), False
        except ValidationError as error:
            return {"error": first_error(error)}, True
        except RejectedCall as error:
            return {"error": str(error)}, True

    def _search(self, asked: Search) -> Mapping[str, object]:
        wanted = subject_stems(asked.query)
        self._looked |= wanted
        planned = {name: value for name, value in self.plan.new_candidates.items() if wanted & subject_stems(value.content)}
        return self._entries(planned, self.plan.view.similar(asked.query, asked.limit))

    def _read(self, asked: ReadRequest) -> Mapping[str, object]:
        planned = {name: value for name, value in self.plan.new_candidates.items() if value.section == asked.category}
        return self._entries(planned, self.plan.view.in_section(asked.category, asked.limit))

    def _write(self, asked: Write) -> Mapping[str, object]:
        self._refuse_before_search(asked.value)
        if self.plan.has_decision(asked.key) or self.plan.view.holder(asked.key) is not None:
            raise RejectedCall("the key is taken: update_memory gives it another value")
        candidate = self.plan.candidate(
            asked.value,
            asked.interaction_id,
            asked.evidence,
            confidence=asked.confidence,
            key=asked.key,
            section=asked.category,
            durability=asked.durability,
        )
        why_not = self.plan.add(asked.key, candidate)
        return {"written": True, "key": asked.key} if why_not is None else {"written": False, "why": why_not}

    def _update(self, asked: Update) -> Mapping[str, object]:
        self._refuse_before_search(asked.value)
        target = self._target(asked.key)
        before = target or self.plan.new_candidates[asked.key]
        candidate = self.plan.candidate(
            asked.value,
            asked.interaction_id,
            asked.evidence,
            confidence=_UPDATED,
            key=before.key,
            section=asked.category or before.section,
            durability=before.durability,
        )
        self.plan.change(asked.key, candidate, target)
        return {"updated": True, "key": asked.key}

    def _delete(self, asked: Delete) -> Mapping[str, object]:
        target = self._target(asked.key)
        self.plan.close(asked.key, asked.interaction_id, asked.evidence, target)
        return {"deleted": True, "key": asked.key}

    def _target(self, key: str) -> Memory | None:
        """The memory of the record that holds a key; None if the key is of the plan only."""
        if key in self.plan.new_candidates:
            return None
        shown = self._shown.get(key)
        if shown is None or not self.plan.view.get([shown.memory_id]):
            raise RejectedCall("no memory of this key was shown, or it is closed: look for it first")
        return shown

    def _refuse_before_search(self, value: str) -> None:
        if not self._looked & subject_stems(value):
            raise RejectedCall("look first: search_memory for what this is about")

    def _entries(self, planned: Mapping[str, Any], found: Iterable[Memory]) -> Mapping[str, object]:
        entries = [{"key": name, "value": value.content, "section": value.section} for name, value in planned.items()]
        for memory in found:
            # A memory without a key is called by its id; keys are lower case, ids are not. A key of another collection
            # may be one of this, too.
            key = memory.key if memory.collection == DEFAULT_COLLECTION else None
            name = key or memory.memory_id.lower()
            self._shown[name] = memory
            since = f"{memory.happened_at:%Y-%m-%d}"
            entries.append({"key": name, "value": memory.content, "section": memory.section, "since": since})
        for entry in entries:
            self._looked |= subject_stems(str(entry["value"]))
        return {"memories": entries}
