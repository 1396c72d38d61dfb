"""Agent mode: a model brings the memory up to date with tools, turn by turn; what it did is a plan like any other."""

import json
import time
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from commonplace.extraction.candidate import MemoryView, Reading
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.gates import forget_candidates
from commonplace.llm.partial_json import CUTS
from commonplace.llm.prompts import instructions
from commonplace.nightly.agent_plan import AgentPlan
from commonplace.nightly.agent_tools import AgentTools, tool_list
from commonplace.nightly.budget import DECLINED, BudgetSpent, MeteredModel, Unread, unread_after
from commonplace.nightly.prompt_chunks import Chunk, chunks_of, interactions_in, lines_of, prompt_for
from commonplace.ports.values import ModelUnavailable, Reply

_MAX_TOKENS = 4_000
_CHUNK_TOKENS = 20_000  # every turn sends them again
_TASK = "Bring the memory up to date with what the user says in {data}."
_CUT = {"error": "this call was cut off and did not run; make it again, with less in one answer"}


def read_by_agent(day: Day, view: MemoryView, model: MeteredModel, now: datetime) -> tuple[Reading, tuple[Unread, ...]]:
    """Lets the model plan changes for a day with tools; returns its decisions and the interactions that stay unread."""
    end = time.monotonic() + model.allowance.agent_seconds
    tools = AgentTools(day, view, now)
    unread: list[Unread] = []
    for number, chunk in enumerate(chunks_of(lines_of(day), _CHUNK_TOKENS)):
        before = tools.plan.made
        try:
            ended = _converse(f"{day.date}/agent/{number}", day, chunk, tools, model, end)
        except (BudgetSpent, ModelUnavailable) as error:
            # Whoever reads these next reads them whole: half a plan would be in the way.
            tools.plan.made = before
            unread.append(unread_after(error, interactions_in(chunk)))
            continue
        # Only what this piece was read for: of a talk in two pieces the earlier may have been read, and this one not.
        made = [one for name, one in tools.plan.made.items() if before.get(name) is not one]
        left = set(interactions_in(chunk)) - {one.candidate.interaction_id for one in made}
        waiting = left if ended else set[str]()
        if ended and left:
            unread.append(Unread(frozenset(left), ended, waits=True))
        _plan_forget_requests(
            tools.plan, [one.utterance for one in chunk if one.utterance.interaction_id not in waiting], day
        )
    decisions = tools.plan.decisions
    return Reading(decisions, candidates=len(decisions)), tuple(unread)


def _plan_forget_requests(plan: AgentPlan, read: Sequence[Utterance], day: Day) -> None:
    """Adds the user's own forget requests to the plan, whatever the model planned about them."""
    for said in read:
        for request in forget_candidates(said, day.before(said)):
            plan.forget(request)


def _converse(name: str, day: Day, chunk: Chunk, tools: AgentTools, model: MeteredModel, end: float) -> str | None:
    """Calls the model until it ends its turn; returns the limit that stopped it, None if none did."""
    messages: list[Mapping[str, Any]] = [{"role": "user", "content": prompt_for(day, chunk, _TASK)}]
    while not (limit := _limit(model, end)):
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
        said = [block for block in reply.blocks if block.get("type") != "text" or block.get("text")]
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": results}]
    return limit


def _limit(model: MeteredModel, end: float) -> str | None:
    allowed = model.allowance
    if model.calls >= allowed.agent_turns:
        return f"the agent has had its {allowed.agent_turns} turns"
    if model.input_tokens + model.output_tokens >= allowed.agent_tokens:
        return f"the agent has had its {allowed.agent_tokens} tokens"
    return "the agent has had its time" if time.monotonic() >= end else None


def _run_calls(reply: Reply, tools: AgentTools) -> list[Mapping[str, Any]]:
    """Runs the tool calls of one answer, in order; the last block of a cut answer may be half a call and is skipped."""
    cut = reply.blocks[-1] if reply.blocks and reply.stop_reason in CUTS else None
    results: list[Mapping[str, Any]] = []
    for block in reply.blocks:
        if block.get("type") != "tool_use":
            continue
        answer, sent_back = (_CUT, True) if block is cut else tools.call(block.get("name"), block.get("input"))
        said = json.dumps(answer, ensure_ascii=False)
        results.append({"type": "tool_result", "tool_use_id": block.get("id"), "content": said, "is_error": sent_back})
    return results
