"""Agent mode: a model plans changes to the memories by calling tools, turn by turn."""

import json
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field, ValidationError

from commonplace.contract.manifest import schema
from commonplace.domain.fields import Fraction, Limit, Name, Query, Request, Text
from commonplace.domain.memory import DEFAULT_COLLECTION, Memory
from commonplace.domain.storage import Key, ReadRequest
from commonplace.domain.taxonomy import Durability, Section
from commonplace.extraction.candidate import Candidate, Decision, MemoryView, Reading
from commonplace.extraction.clauses import LONGEST_EVIDENCE
from commonplace.extraction.days import Day
from commonplace.extraction.decisions import decide, without_addition
from commonplace.extraction.forgetting.matching import is_about
from commonplace.extraction.forgetting.requests import forget_target
from commonplace.extraction.gates import forget_candidates
from commonplace.extraction.grounding.evidence import evidence_span
from commonplace.extraction.grounding.support import subject_stems, unsupported_reason
from commonplace.llm.partial_json import CUTS
from commonplace.llm.prompts import instructions
from commonplace.nightly.budget import DECLINED, BudgetSpent, MeteredModel, Unread, unread_after
from commonplace.nightly.llm_extraction import MAX_CONTENT, first_error
from commonplace.nightly.memory_view import StagedView
from commonplace.nightly.prompt_chunks import Chunk, chunks_of, interactions_in, lines_of, prompt_for
from commonplace.ports.values import ModelUnavailable, Reply

_MAX_TOKENS = 4_000
_CHUNK_TOKENS = 20_000  # the instructions are sent again on every turn
_TASK = "Bring the memory up to date with what the user says in {data}."
_CUT = {"error": "this call was cut off and did not run; make it again, with less in one answer"}
Evidence = Annotated[Text, Field(max_length=LONGEST_EVIDENCE)]
Value = Annotated[Text, Field(max_length=MAX_CONTENT)]
_INTERACTION = Field(description="The `interaction_id` of the message that says it.")
_EVIDENCE = Field(description="The shortest part of the user's own words that says it, letter by letter.")
_UPDATED = 0.9
_CONFIDENCE = 0.9


class RejectedCall(Exception):  # noqa: N818 - an answer to the agent
    """Raised to reject a tool call, which then changes nothing. The message tells the agent the reason."""


class AgentPlan:
    """The agent's decisions. `made` maps memory names to decisions. The name of a memory without a key is its id."""

    def __init__(self, day: Day, record: MemoryView, now: datetime) -> None:
        self._day, self._record = day, record
        self._now = now
        self.made: dict[str, Decision] = {}

    @property
    def decisions(self) -> tuple[Decision, ...]:
        return tuple(self.made.values())

    @property
    def view(self) -> StagedView:
        """The stored memories, except for those that the plan closes."""
        return StagedView(self._record, self.decisions)

    @property
    def new_candidates(self) -> dict[str, Candidate]:
        """The candidates that the plan adds, by name."""
        return {name: made.candidate for name, made in self.made.items() if made.operation in ("ADD", "UPDATE")}

    def candidate(self, content: str, call: "Write | Update | Delete", **fields: Any) -> Candidate:
        """Build a candidate from a tool call. Raises `RejectedCall` if the interaction does not contain the evidence."""
        interaction_id, evidence = call.interaction_id, call.evidence
        for utterance in self._day.utterances:
            if utterance.interaction_id == interaction_id and evidence_span(evidence, utterance):
                return Candidate(content, interaction_id, utterance.position, evidence, event_time=utterance.time, **fields)
        raise RejectedCall("the evidence is not in the user's own words of this interaction")

    def add(self, name: str, candidate: Candidate) -> str | None:
        """Plan a new memory, or return the reason that nothing is added. An outdated value is stored as a closed memory."""
        by_rules = decide([*self.new_candidates.values(), candidate], self.view, self._now)[-1]
        if by_rules.operation == "NOOP":
            return by_rules.why
        made = Decision(candidate, "ADD", why="written by the agent", outdated_by=by_rules.outdated_by)
        self._put_decision(name, made, ())
        return None

    def change(self, name: str, candidate: Candidate, target: Memory | None) -> None:
        """Plan a new value for a stored memory. If `target` is None, change the value already planned under this name."""
        planned = self.made.get(name)
        targets = [target] if target is not None else self._record.get(planned.targets) if planned is not None else []
        ids = tuple(memory.memory_id for memory in targets)
        self._put_decision(name, Decision(candidate, "UPDATE" if ids else "ADD", ids, why="updated by the agent"), targets)

    def close(self, call: "Delete", target: Memory | None) -> None:
        """Plan to close or forget a memory, depending on the evidence. If `target` is None, drop the key's planned entry."""
        name, request = call.key, forget_target(call.evidence)
        sure = {"confidence": _CONFIDENCE, "forgets": request is not None, "corrects": request is None}
        candidate = self.candidate(request or call.evidence, call, **sure)
        if request is not None and not is_about(request, target.content if target is not None else self.made[name].says):
            raise RejectedCall("the user wants something else forgotten")
        if request is not None:
            self._check_decision(Decision(candidate, "FORGET"), ())
            self.forget(candidate)
        elif target is None:
            del self.made[name]
        else:
            self._put_decision(name, Decision(candidate, "DELETE", (target.memory_id,), why="ended by the agent"), [target])

    def forget(self, request: Candidate) -> None:
        """Plan a forget request, at most once, and drop older planned entries that the request covers."""
        name = f"{request.interaction_id}/{request.position}/{request.content}"  # no key has this form
        # Use the stored memories instead of the plan's view, because memories that the plan closes still contain their words.
        (wanted,) = decide([request], self._record, self._now)
        for key, made in tuple(self.made.items()):
            if _is_older(made.candidate, request) and is_about(request.content, made.says):
                left = without_addition(made, wanted.targets)
                del self.made[key]
                self.made |= {key: left} if left.operation == "DELETE" else {}
        self.made.setdefault(name, wanted)

    def _put_decision(self, name: str, decision: Decision, targets: Sequence[Memory]) -> None:
        self._check_decision(decision, targets)
        self.made[name] = decision

    def _check_decision(self, decision: Decision, targets: Sequence[Memory]) -> None:
        reason = unsupported_reason(decision, self._day, targets)
        if reason:
            raise RejectedCall(f"this is not kept: {reason}")


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


class AgentTools:
    """The five memory tools for one day. The tools change only the plan."""

    def __init__(self, day: Day, view: MemoryView, now: datetime) -> None:
        self.plan = AgentPlan(day, view, now)
        self._shown: dict[str, Memory] = {}
        self._looked: set[str] = set()
        self._tools: dict[str, Callable[[Any], Mapping[str, object]]] = {
            "search_memory": self._search_memories,
            "read_memory": self._read_section,
            "write_memory": self._write_memory,
            "update_memory": self._update_memory,
            "delete_memory": self._delete_memory,
        }

    def call(self, name: object, arguments: object) -> tuple[Mapping[str, object], bool]:
        """Run a tool call. Returns the answer and whether the call was rejected. A rejected call changes nothing."""
        try:
            if not isinstance(name, str) or name not in self._tools:
                raise RejectedCall(f"there is no such tool; there are {', '.join(self._tools)}")
            return self._tools[name](REQUESTS[name][0].model_validate(arguments)), False
        except ValidationError as error:
            return {"error": first_error(error)}, True
        except RejectedCall as error:
            return {"error": str(error)}, True

    def _search_memories(self, request: Search) -> Mapping[str, object]:
        wanted = subject_stems(request.query)
        self._looked |= wanted
        planned = {name: value for name, value in self.plan.new_candidates.items() if wanted & subject_stems(value.content)}
        return self._format_entries(planned, self.plan.view.similar(request.query, request.limit))

    def _read_section(self, request: ReadRequest) -> Mapping[str, object]:
        planned = {name: value for name, value in self.plan.new_candidates.items() if value.section == request.category}
        return self._format_entries(planned, self.plan.view.in_section(request.category, request.limit))

    def _write_memory(self, request: Write) -> Mapping[str, object]:
        self._refuse_before_search(request.value)
        if request.key in self.plan.made or self.plan.view.holder(request.key) is not None:
            raise RejectedCall("the key is taken: update_memory gives it another value")
        fields = request.model_dump(include={"confidence", "key", "durability"})
        candidate = self.plan.candidate(request.value, request, section=request.category, **fields)
        why_not = self.plan.add(request.key, candidate)
        return {"written": True, "key": request.key} if why_not is None else {"written": False, "why": why_not}

    def _update_memory(self, request: Update) -> Mapping[str, object]:
        self._refuse_before_search(request.value)
        target = self._find_target(request.key)
        before = target or self.plan.new_candidates[request.key]
        section = request.category or before.section
        candidate = self.plan.candidate(
            request.value, request, confidence=_UPDATED, key=before.key, section=section, durability=before.durability
        )
        self.plan.change(request.key, candidate, target)
        return {"updated": True, "key": request.key}

    def _delete_memory(self, request: Delete) -> Mapping[str, object]:
        target = self._find_target(request.key)
        self.plan.close(request, target)
        return {"deleted": True, "key": request.key}

    def _find_target(self, key: str) -> Memory | None:
        """Return the memory that was shown under this name, or None for a planned entry. Raises `RejectedCall` if neither."""
        if key in self.plan.new_candidates:
            return None
        shown = self._shown.get(key)
        if shown is None or not self.plan.view.get([shown.memory_id]):
            raise RejectedCall("no memory of this key was shown, or it is closed: look for it first")
        return shown

    def _refuse_before_search(self, value: str) -> None:
        """Raise `RejectedCall` unless an earlier search or answer shares a stem with the value."""
        if not self._looked & subject_stems(value):
            raise RejectedCall("look first: search_memory for what this is about")

    def _format_entries(self, planned: Mapping[str, Any], memories: Iterable[Memory]) -> Mapping[str, object]:
        """Return planned and stored memories as the answer to a call. From now on, the model may refer to them."""
        entries = [{"key": name, "value": value.content, "section": value.section} for name, value in planned.items()]
        for memory in memories:
            # A memory without a key, or in another collection, is shown by its id in lower case, as calls contain it.
            key = memory.key if memory.collection == DEFAULT_COLLECTION else None
            name = key or memory.memory_id.lower()
            self._shown[name] = memory
            since = f"{memory.happened_at:%Y-%m-%d}"
            entries.append({"key": name, "value": memory.content, "section": memory.section, "since": since})
        for entry in entries:
            self._looked |= subject_stems(str(entry["value"]))
        return {"memories": entries}


def read_by_agent(day: Day, view: MemoryView, model: MeteredModel, now: datetime) -> tuple[Reading, tuple[Unread, ...]]:
    """Let the model plan a day's changes by calling tools. Returns the model's decisions and the unread interactions."""
    end = time.monotonic() + model.allowance.agent_seconds
    tools = AgentTools(day, view, now)
    unread: list[Unread] = []
    for number, chunk in enumerate(chunks_of(lines_of(day), _CHUNK_TOKENS)):
        before = dict(tools.plan.made)
        try:
            ended = _run_conversation(f"{day.date}/agent/{number}", day, chunk, tools, model, end)
        except (BudgetSpent, ModelUnavailable) as error:
            # Drop the unfinished plan, because the next reader starts over with these interactions.
            tools.plan.made = before
            unread.append(unread_after(error, interactions_in(chunk)))
            continue
        # Count only decisions about this chunk, because an earlier chunk of the same interaction may have been read.
        made = [decision for name, decision in tools.plan.made.items() if before.get(name) is not decision]
        left = set(interactions_in(chunk)) - {decision.candidate.interaction_id for decision in made}
        waiting = left if ended else set[str]()
        if ended and left:
            unread.append(Unread(frozenset(left), ended, waits=True))
        for utterance in (line.utterance for line in chunk if line.utterance.interaction_id not in waiting):
            for request in forget_candidates(utterance, day.before(utterance)):
                tools.plan.forget(request)  # explicit requests take effect, whatever the model planned
    decisions = tools.plan.decisions
    return Reading(decisions, candidates=len(decisions)), tuple(unread)


def _run_conversation(name: str, day: Day, chunk: Chunk, tools: AgentTools, model: MeteredModel, end: float) -> str | None:
    """Let the model read a chunk and call tools. Returns the reason for ending early, or None if the model finished."""
    messages: list[Mapping[str, Any]] = [{"role": "user", "content": prompt_for(day, chunk, _TASK)}]
    while not (limit := _find_reached_limit(model, end)):
        reply = model.ask(
            f"{name}/{len(messages) // 2}",
            instructions("agent"),
            messages,
            tools=tool_list(),
            max_tokens=_MAX_TOKENS,
            seconds=end - time.monotonic(),
        )
        if reply.stop_reason == "refusal":
            raise ModelUnavailable(DECLINED)
        results = _run_calls(reply, tools)
        if not results or reply.stop_reason == "model_context_window_exceeded":
            return None if reply.stop_reason == "end_turn" else f"the model stopped with {reply.stop_reason}"
        blocks = [block for block in reply.blocks if block.get("type") != "text" or block.get("text")]
        messages += [{"role": "assistant", "content": blocks}, {"role": "user", "content": results}]
    return limit


def _find_reached_limit(model: MeteredModel, end: float) -> str | None:
    allowed = model.allowance
    if model.calls >= allowed.agent_turns:
        return f"the agent has had its {allowed.agent_turns} turns"
    if model.input_tokens + model.output_tokens >= allowed.agent_tokens:
        return f"the agent has had its {allowed.agent_tokens} tokens"
    return "the agent has had its time" if time.monotonic() >= end else None


def _run_calls(reply: Reply, tools: AgentTools) -> list[Mapping[str, Any]]:
    """Run the tool calls in a reply. Skip the last call in a truncated reply, because the call may be incomplete."""
    cut = reply.blocks[-1] if reply.blocks and reply.stop_reason in CUTS else None
    results: list[Mapping[str, Any]] = []
    for block in reply.blocks:
        if block.get("type") != "tool_use":
            continue
        answer, sent_back = (_CUT, True) if block is cut else tools.call(block.get("name"), block.get("input"))
        text = json.dumps(answer, ensure_ascii=False)
        results.append({"type": "tool_result", "tool_use_id": block.get("id"), "content": text, "is_error": sent_back})
    return results


REQUESTS: dict[str, tuple[type[Request], str]] = {
    "search_memory": (Search, "Finds memories for a question, nearest first. Look before you write or update."),
    "read_memory": (ReadRequest, "Lists what is remembered under a heading, most important and newest first."),
    "write_memory": (Write, "Remembers something new under a key."),
    "update_memory": (Update, "Gives a key a new value; the old one is closed and kept."),
    "delete_memory": (Delete, "Closes the memory of a key: it is wrong or over, or the user wants it forgotten."),
}
"""Maps the name of each tool to its request model and description."""


def tool_list() -> list[dict[str, Any]]:
    """Return the tool definitions for the Messages API."""
    return [
        {"name": name, "description": description, "input_schema": schema(request, "validation")}
        for name, (request, description) in REQUESTS.items()
    ]


def _is_older(candidate: Candidate, request: Candidate) -> bool:
    """Return whether a candidate is, or may be, older than a forget request. Other forget requests never count as older."""
    spoken, requested = candidate.event_time, request.event_time
    return not candidate.forgets and (spoken is None or requested is None or spoken <= requested)
