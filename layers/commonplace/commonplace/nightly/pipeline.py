"""Pipeline mode: a model proposes memories, then decides how these change the stored ones. Code checks both steps."""

import json
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import chain, count
from typing import Annotated, Literal

from pydantic import AfterValidator, BaseModel, Field, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import printable
from commonplace.domain.memory import Memory
from commonplace.domain.runs import Dropped
from commonplace.extraction.candidate import Candidate, Decision, MemoryView, Reading
from commonplace.extraction.days import Day
from commonplace.extraction.decisions import decide
from commonplace.extraction.forgetting.matching import text_without
from commonplace.extraction.gates import forget_candidates, forget_requests_in
from commonplace.extraction.grounding.support import unsupported_reason
from commonplace.llm.partial_json import CUTS, Items, items_of, object_with
from commonplace.llm.prompts import delimited_data, instructions, unused_mark
from commonplace.nightly import llm_extraction
from commonplace.nightly.budget import DECLINED, BudgetSpent, MeteredModel, Unread, tokens_of, unread_after
from commonplace.nightly.llm_extraction import MAX_CONTENT, parse_proposal
from commonplace.nightly.prompt_chunks import CHUNK_TOKENS, Chunk, chunks_of, interactions_in, lines_of, prompt_for
from commonplace.ports.values import ModelUnavailable

_SIMILAR = 6
_TASK = "Write down what is worth remembering of {data}, as the JSON object."
_MOST_CANDIDATES = 60
_DECIDING = "Decide about each of {data}, as the JSON object."


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


@dataclass(frozen=True)
class Case:
    """A candidate, with its number within the day and stored memories about the same subject."""

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


def read_by_pipeline(day: Day, view: MemoryView, model: MeteredModel, now: datetime) -> tuple[Reading, tuple[Unread, ...]]:
    """Let the model propose memories for a day and choose changes. Returns the decisions and the unread interactions."""
    extraction = _extract_candidates(day, model)
    candidates = _replace_forget_requests(extraction, day)
    decisions, notes = _decide_candidates(day, candidates, view, model, now)
    proposed_in_all = len(candidates) + len(extraction.dropped)
    return Reading(decisions, tuple(extraction.dropped), proposed_in_all, notes=notes), tuple(extraction.unread)


@dataclass
class _Extraction:
    candidates: list[Candidate] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unread: list[Unread] = field(default_factory=list)

    def add(self, item: object, chunk: Chunk, day: Day) -> None:
        """Add an item of the answer as a candidate if it is valid and not a duplicate within its message."""
        candidate = parse_proposal(item, {line.number: line.utterance for line in chunk})
        if isinstance(candidate, str):
            self.dropped.append(Dropped(interaction_id=chunk[0].utterance.interaction_id, why=candidate))
            return
        reason = unsupported_reason(Decision(candidate, "FORGET" if candidate.forgets else "ADD"), day, ())
        if reason:
            place, position = candidate.interaction_id, candidate.position
            self.dropped.append(Dropped(interaction_id=place, position=position, why=reason))
        elif (candidate.content, _locate(candidate)) not in {(known.content, _locate(known)) for known in self.candidates}:
            self.candidates.append(candidate)


def _extract_candidates(day: Day, model: MeteredModel) -> _Extraction:
    """Let the model propose candidates, chunk by chunk. Lines that a truncated answer may not cover are sent again."""
    extraction = _Extraction()
    chunks = deque(chunks_of(lines_of(day)))
    for number in count():
        if not chunks:
            break
        chunk = chunks.popleft()
        messages = [{"role": "user", "content": prompt_for(day, chunk, _TASK)}]
        try:
            reply = model.ask(f"{day.date}/extract/{number}", instructions("extract"), messages, schema=llm_extraction.SHAPE)
        except (BudgetSpent, ModelUnavailable) as error:
            extraction.unread.append(unread_after(error, interactions_in([*chunk, *chain(*chunks)])))
            break
        items = None if reply.stop_reason == "refusal" else items_of(reply.text, "memories", reply.stop_reason in CUTS)
        for item in items.complete if items else ():
            extraction.add(item, chunk, day)
        unread = chunk if items is None else _find_truncated_part(items, chunk) if reply.stop_reason in CUTS else ()
        if len(unread) == len(chunk):
            why = DECLINED if reply.stop_reason == "refusal" else "the model's answer contained no complete list of memories"
            extraction.unread.append(Unread(frozenset(interactions_in(unread)), why, waits=True))
        elif unread:
            chunks.appendleft(unread)
    return extraction


def _find_truncated_part(items: Items, chunk: Chunk) -> Chunk:
    """Return the lines from the last mentioned message onwards, because a truncated answer may not cover them."""
    # a list, because a model's answer may contain values that can't be hashed
    spoken_of = [item.get("message") for item in (*items.complete, items.incomplete) if isinstance(item, dict)]
    return chunk[max((at for at, line in enumerate(chunk) if line.number in spoken_of), default=0) :]


def _replace_forget_requests(extraction: _Extraction, day: Day) -> list[Candidate]:
    """Replace the model's forget requests with the user's explicit requests, and sort the candidates by message.

    A request from the model is kept if the user refers to an earlier message ("forget that").
    """
    unread = {interaction for skipped in extraction.unread for interaction in skipped.interactions}
    read = [utterance for utterance in day.utterances if utterance.role == "user" and utterance.interaction_id not in unread]
    taken = {_locate(candidate) for candidate in extraction.candidates if candidate.forgets}
    requested = [
        request
        for turn in read
        for request in forget_candidates(turn, day.before(turn), (turn.interaction_id, turn.position) in taken)
    ]
    served = {_locate(request) for request in requested}
    candidates = [
        item for item in extraction.candidates if not (item.forgets and _locate(item) in served) or _is_unserved(item, day)
    ]
    order = [(utterance.interaction_id, utterance.position) for utterance in day.utterances]
    return sorted([*candidates, *requested], key=lambda candidate: order.index(_locate(candidate)))


def _is_unserved(request: Candidate, day: Day) -> bool:
    """Return whether the evidence contains a genuine forget request that doesn't say what should be forgotten."""
    utterance = day.utterance_at(request.interaction_id, request.position)
    requests = forget_requests_in(request.evidence, utterance, day.before(utterance)) if utterance else []
    return any(request.meant and not request.can_be_served for request in requests)


def _locate(candidate: Candidate) -> tuple[str, int]:
    return candidate.interaction_id, candidate.position


def _decide_candidates(
    day: Day, candidates: Sequence[Candidate], view: MemoryView, model: MeteredModel, now: datetime
) -> tuple[tuple[Decision, ...], tuple[str, ...]]:
    """Return a decision about each candidate, and notes. The model makes the decisions that the rules leave open."""
    by_rules = decide(candidates, view, now)
    requests = [decision for decision in by_rules if decision.operation == "FORGET"]
    cases: list[Case] = []
    for number, decision in enumerate(by_rules):
        if _is_undecided(candidates, decision):
            near = _remove_forgotten_text(view.similar(decision.candidate.content, _SIMILAR), requests)
            similar = tuple(memory for memory in near if not memory.is_passage)
            if similar:
                cases.append(Case(number, decision.candidate, similar))
    choices, notes = _choose_decisions(cases, day, model)
    return tuple(choices.get(number, decision) for number, decision in enumerate(by_rules)), notes


def _is_undecided(candidates: Sequence[Candidate], decision: Decision) -> bool:
    """Return whether the model must decide. Rules handle known, outdated and weak candidates, and forget requests."""
    settled = decision.operation in ("NOOP", "FORGET") or decision.outdated_by is not None
    return not settled and any(decision.candidate is candidate for candidate in candidates)


def _remove_forgotten_text(memories: Iterable[Memory], requests: Sequence[Decision]) -> Iterator[Memory]:
    """Remove text that the user asked to forget, so that an update can't restore it."""
    for memory in memories:
        text = memory.content
        for request in requests:
            text = text_without(request.candidate.content, text) if memory.memory_id in request.targets else text
        if text:
            yield memory if text == memory.content else memory.model_copy(update={"raw_text": text, "normalized_text": text})


def _choose_decisions(cases: Sequence[Case], day: Day, model: MeteredModel) -> tuple[dict[int, Decision], tuple[str, ...]]:
    """Ask the model for decisions. Returns them by case number, and notes. After a failed call, the remaining are missing."""
    made: dict[int, Decision] = {}
    for number, group in enumerate(batches_of(cases)):
        messages = [{"role": "user", "content": deciding_prompt(group)}]
        try:
            reply = model.ask(f"{day.date}/decide/{number}", instructions("decide"), messages, schema=SHAPE)
        except (BudgetSpent, ModelUnavailable) as error:
            return made, (f"decided by rules: {unread_after(error, ()).why}",)
        for item in choices_in(reply.text, reply.stop_reason in CUTS, group):
            taken = {target for decision in made.values() for target in decision.targets}
            choice = parse_choice(item, {case.number: case for case in group if case.number not in made}, taken, day)
            if choice is not None:
                made[choice[0]] = choice[1]
    return made, ()


SHAPE = schema(Choices, "validation")
"""The JSON schema that the API enforces for the whole answer. The parser validates each decision separately."""


def batches_of(cases: Sequence[Case]) -> Iterator[list[Case]]:
    """Yield the cases in batches that each fit into one model call."""
    group: list[Case] = []
    for case in cases:
        if group and (len(group) == _MOST_CANDIDATES or tokens_of(deciding_prompt([*group, case])) > CHUNK_TOKENS):
            yield group
            group = []
        group.append(case)
    if group:
        yield group


def deciding_prompt(cases: Sequence[Case]) -> str:
    """Build the user message, with memories and candidates as delimited data."""
    memories = {memory.memory_id: memory for case in cases for memory in case.similar}
    lines = [
        json.dumps(
            {"memory_id": memory_id, "content": memory.content, "since": f"{memory.happened_at:%Y-%m-%d}"}, ensure_ascii=False
        )
        for memory_id, memory in memories.items()
    ]
    parts = {"memories": "\n".join(lines), "candidates": "\n".join(case.json for case in cases)}
    mark = unused_mark(parts.values())
    return f"{delimited_data(parts, mark)}\n\n{_DECIDING.format(data=f'<candidates-{mark}>')}"


def choices_in(reply: str, cut: bool, cases: Sequence[Case]) -> list[object]:
    """Return the decisions in a reply, each with its candidate number. A reply about one candidate may omit the number."""
    items = items_of(reply, "decisions", cut)
    if items is not None:
        return items.complete
    alone = object_with(reply, "operation") if len(cases) == 1 else None
    return [{"candidate": cases[0].number, **alone}] if alone else []


def parse_choice(item: object, cases: Mapping[int, Case], taken: Collection[str], day: Day) -> tuple[int, Decision] | None:
    """Return the candidate number and decision, or None if `item` is invalid. `taken` lists targets of earlier decisions."""
    try:
        choice = Choice.model_validate(item)
    except ValidationError:
        return None
    case = cases.get(choice.candidate)
    decision = _build_decision(choice, case, taken) if case else None
    if case is None or decision is None:
        return None
    targets = [memory for memory in case.similar if memory.memory_id in decision.targets]
    return None if unsupported_reason(decision, day, targets) else (case.number, decision)


def _build_decision(choice: Choice, case: Case, taken: Collection[str]) -> Decision | None:
    """Return the decision that a model chose, or None if its target is already taken or isn't similar to the candidate."""
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
