"""The changes that an agent has planned so far: nothing is written, and every change has passed the gates."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from commonplace.domain.memory import Memory
from commonplace.extraction.candidate import Candidate, Decision, MemoryView
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.decisions import decide, without_addition
from commonplace.extraction.forgetting.matching import tells
from commonplace.extraction.forgetting.requests import forget_target
from commonplace.extraction.grounding.evidence import evidence_span
from commonplace.extraction.grounding.support import unsupported_reason
from commonplace.nightly.memory_view import StagedView

_CONFIDENCE = 0.9


class RejectedCall(Exception):  # noqa: N818 - an answer to the agent
    """A call that changes nothing; the message tells the agent why."""


class AgentPlan:
    """The agent's decisions by memory name: the key, or the id of a memory without one."""

    def __init__(self, day: Day, record: MemoryView, now: datetime) -> None:
        self._day, self._record = day, record
        self._now = now
        self._by_name: dict[str, Decision] = {}

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions in the order in which they were made."""
        return tuple(self._by_name.values())

    @property
    def made(self) -> Mapping[str, Decision]:
        """A copy of all decisions by name, to which the plan can be reset."""
        return dict(self._by_name)

    @made.setter
    def made(self, made: Mapping[str, Decision]) -> None:
        self._by_name = dict(made)

    @property
    def view(self) -> StagedView:
        """The memories without those that the plan closes."""
        return StagedView(self._record, self.decisions)

    @property
    def new_candidates(self) -> dict[str, Candidate]:
        """The candidates that the plan adds, by name."""
        return {name: made.candidate for name, made in self._by_name.items() if made.operation in ("ADD", "UPDATE")}

    def has_decision(self, name: str) -> bool:
        """Whether the plan has a decision under this name; there is at most one."""
        return name in self._by_name

    def candidate(self, content: str, interaction_id: str, evidence: str, **fields: Any) -> Candidate:
        """A candidate with the place and time of its evidence. Raises `RejectedCall` when the user did not say it there."""
        said = self._utterance_with(interaction_id, evidence)
        return Candidate(content, interaction_id, said.position, evidence, event_time=said.time, **fields)

    def add(self, name: str, candidate: Candidate) -> str | None:
        """Plans a new memory; returns why not if there is nothing to add. A value older than the kept one is added closed."""
        by_rules = decide([*self.new_candidates.values(), candidate], self.view, self._now)[-1]
        if by_rules.operation == "NOOP":
            return by_rules.why
        made = Decision(candidate, "ADD", why="written by the agent", outdated_by=by_rules.outdated_by)
        self._put(name, made, ())
        return None

    def change(self, name: str, candidate: Candidate, target: Memory | None) -> None:
        """Plans a new value for a memory of the record, or, without `target`, for what the plan holds under the name."""
        planned = self._by_name.get(name)
        targets = [target] if target is not None else self._record.get(planned.targets) if planned is not None else []
        ids = tuple(one.memory_id for one in targets)
        self._put(name, Decision(candidate, "UPDATE" if ids else "ADD", ids, why="updated by the agent"), targets)

    def close(self, name: str, interaction_id: str, evidence: str, target: Memory | None) -> None:
        """Plans that a memory is closed, or, without `target`, takes what the plan holds under the name out of it.

        The words that end a memory take its place: that it is over is worth knowing too. A forget request leaves nothing.
        """
        request = forget_target(evidence)
        sure = {"confidence": _CONFIDENCE, "forgets": request is not None, "corrects": request is None}
        candidate = self.candidate(request or evidence, interaction_id, evidence, **sure)
        if request is not None and not tells(request, target.content if target is not None else self._by_name[name].says):
            raise RejectedCall("the user wants something else forgotten")
        if request is not None:
            self._check(Decision(candidate, "FORGET"), ())
            self.forget(candidate)
        elif target is None:
            del self._by_name[name]
        else:
            self._put(name, Decision(candidate, "DELETE", (target.memory_id,), why="ended by the agent"), [target])

    def forget(self, request: Candidate) -> None:
        """Plans a forget request, once: drops what the plan holds of it, if it was said before the request."""
        name = f"{request.interaction_id}/{request.position}/{request.content}"  # no key has such a name
        # Held against all of the record: what the plan closes is there with its words, too.
        (wanted,) = decide([request], self._record, self._now)
        for key, made in tuple(self._by_name.items()):
            if _said_before(made.candidate, request) and tells(request.content, made.says):
                left = without_addition(made, wanted.targets)
                del self._by_name[key]
                self._by_name |= {key: left} if left.operation == "DELETE" else {}
        self._by_name.setdefault(name, wanted)

    def _put(self, name: str, decision: Decision, targets: Sequence[Memory]) -> None:
        self._check(decision, targets)
        self._by_name[name] = decision

    def _check(self, decision: Decision, targets: Sequence[Memory]) -> None:
        reason = unsupported_reason(decision, self._day, targets)
        if reason:
            raise RejectedCall(f"this is not kept: {reason}")

    def _utterance_with(self, interaction_id: str, evidence: str) -> Utterance:
        for utterance in self._day.utterances:
            if utterance.interaction_id == interaction_id and evidence_span(evidence, utterance):
                return utterance
        raise RejectedCall("the evidence is not in the user's own words of this interaction")


def _said_before(said: Candidate, request: Candidate) -> bool:
    """Whether a candidate, which is no forget request itself, was said before a forget request."""
    if said.event_time is None or request.event_time is None:
        return not said.forgets
    return not said.forgets and said.event_time <= request.event_time
