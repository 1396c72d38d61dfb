"""A model's decisions about candidates: the prompt with each candidate and similar memories, and the check of each answer."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import printable
from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision
from commonplace.extraction.days import Day
from commonplace.extraction.grounding.support import unsupported_reason
from commonplace.llm.partial_json import items_of, object_with
from commonplace.llm.prompts import delimited_data, unused_mark
from commonplace.nightly.budget import tokens_of
from commonplace.nightly.llm_extraction import MAX_CONTENT
from commonplace.nightly.prompt_chunks import CHUNK_TOKENS

_MOST_CANDIDATES = 60
_TASK = "Decide about each of {data}, as the JSON object."


class Choice(BaseModel):
    """What becomes of one candidate."""

    candidate: Annotated[int, Field(strict=True)] = Field(description="The candidate's number.")
    operation: Literal["ADD", "UPDATE", "DELETE", "NOOP"]
    target_memory_id: str | None = Field(None, description="For UPDATE and DELETE: one of the candidate's `similar`.")
    updated_content: Annotated[str, Field(min_length=1, max_length=MAX_CONTENT), AfterValidator(printable)] | None = Field(
        None, description="For UPDATE: what the memory and the candidate say, in one sentence."
    )


class Choices(BaseModel):
    """A decision per candidate."""

    decisions: list[Choice]


SHAPE = schema(Choices, "validation")
"""Of the whole answer, for the API; it is read decision by decision."""


@dataclass(frozen=True)
class Case:
    """A candidate with its number within the day and the memories on its subject."""

    number: int
    candidate: Candidate
    similar: tuple[Memory, ...]

    @property
    def json(self) -> str:
        """The candidate as one line of JSON."""
        candidate = self.candidate
        fields = {
            "candidate": self.number,
            "says": candidate.content,
            "evidence": candidate.evidence,
            "date": f"{candidate.event_time:%Y-%m-%d}" if candidate.event_time else None,
            "confidence": candidate.confidence,
            "corrects": candidate.corrects,
            "similar": [memory.memory_id for memory in self.similar],
        }
        return json.dumps(fields, ensure_ascii=False)


def batches_of(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """The cases in order, in batches that fit into one call."""
    group: list[Case] = []
    for case in cases:
        if group and (len(group) == _MOST_CANDIDATES or tokens_of(prompt_for([*group, case])) > CHUNK_TOKENS):
            yield group
            group = []
        group.append(case)
    if group:
        yield group


def prompt_for(cases: Sequence[Case]) -> str:
    """The user message for the model: memories and candidates as delimited data."""
    memories = {memory.memory_id: memory for case in cases for memory in case.similar}
    lines = [
        json.dumps(
            {"memory_id": memory_id, "content": memory.content, "since": f"{memory.happened_at:%Y-%m-%d}"},
            ensure_ascii=False,
        )
        for memory_id, memory in memories.items()
    ]
    parts = {"memories": "\n".join(lines), "candidates": "\n".join(case.json for case in cases)}
    mark = unused_mark(parts.values())
    return f"{delimited_data(parts, mark)}\n\n{_TASK.format(data=f'<candidates-{mark}>')}"


def choices_in(said: str, cut: bool, cases: Sequence[Case]) -> list[object]:
    """The decisions of an answer, each with its candidate's number; of a single candidate it may be the answer itself."""
    items = items_of(said, "decisions", cut)
    if items is not None:
        return items.complete
    alone = object_with(said, "operation") if len(cases) == 1 else None
    return [{"candidate": cases[0].number, **alone}] if alone else []


def parse_choice(item: object, cases: Mapping[int, Case], taken: Collection[str], day: Day) -> tuple[int, Decision] | None:
    """The number and the decision of an item of the answer; None if it is invalid, and rules decide then.

    `taken`: targets of earlier decisions.
    """
    try:
        choice = Choice.model_validate(item)
    except ValidationError:
        return None
    case = cases.get(choice.candidate)
    decision = _decision_of(choice, case, taken) if case else None
    if case is None or decision is None:
        return None
    targets = [memory for memory in case.similar if memory.memory_id in decision.targets]
    return None if unsupported_reason(decision, day, targets) else (case.number, decision)


def _decision_of(choice: Choice, case: Case, taken: Collection[str]) -> Decision | None:
    candidate, target = case.candidate, choice.target_memory_id
    if choice.operation == "NOOP":
        return Decision(candidate, "NOOP", why="known, the model says")
    if choice.operation == "ADD":
        return Decision(candidate, "ADD", why="new, the model says")
    if target is None or target in taken or target not in {memory.memory_id for memory in case.similar}:
        return None
    if choice.operation == "DELETE":
        return Decision(candidate, "DELETE", (target,), why="it takes a memory's place, the model says")
    content = choice.updated_content or candidate.content
    return Decision(candidate, "UPDATE", (target,), content, "it brings a memory up to date, the model says")
