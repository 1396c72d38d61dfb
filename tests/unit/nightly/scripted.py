"""A day, a memory view and a model made up by hand, to read the one with the others."""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from commonplace.domain.memory import Memory
from commonplace.domain.taxonomy import Section
from commonplace.extraction.days import Day, Utterance
from commonplace.extraction.own_words import own_spans
from commonplace.nightly.budget import MeteredModel
from commonplace.ports.night import Allowance
from commonplace.ports.values import Reply
from commonplace.text.foundation.tokenizer import terms

DATE = date(2026, 3, 2)
MORNING = datetime(2026, 3, 2, 8, 0, tzinfo=UTC)
NOW = datetime(2026, 3, 2, 23, 0, tzinfo=UTC)

Step = Reply | Exception | Callable[["Asked"], Reply]


@dataclass(frozen=True)
class Asked:
    """What the model was asked."""

    instructions: str
    messages: list[dict[str, Any]]
    tools: Sequence[Mapping[str, Any]]
    schema: Mapping[str, Any] | None
    max_tokens: int
    seconds: float

    @property
    def text(self) -> str:
        first = self.messages[0]["content"]
        assert isinstance(first, str)
        return first


@dataclass
class ScriptedModel:
    """Takes one step of the script per question."""

    script: list[Step]
    name: str = "scripted"
    asked: list[Asked] = field(default_factory=list)

    def reply(
        self,
        instructions: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 8_000,
        seconds: float = 120.0,
    ) -> Reply:
        copied = json.loads(json.dumps(list(messages)))
        self.asked.append(Asked(instructions, copied, tools, schema, max_tokens, seconds))
        step = self.script.pop(0)
        if isinstance(step, Exception):
            raise step
        return step if isinstance(step, Reply) else step(self.asked[-1])


def says(answer: object, stop_reason: str = "end_turn", tokens: tuple[int, int] = (100, 10)) -> Reply:
    """An answer in words; JSON of what is no text."""
    text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False)
    return Reply(({"type": "text", "text": text},), stop_reason, *tokens)


def calls(*given: tuple[str, object], stop_reason: str = "tool_use", tokens: tuple[int, int] = (100, 10)) -> Reply:
    """An answer that calls tools."""
    blocks = [{"type": "tool_use", "id": f"toolu_{at}", "name": name, "input": fed} for at, (name, fed) in enumerate(given)]
    return Reply(tuple(blocks), stop_reason, *tokens)


class Kept(dict[str, str]):
    """Answers in hand."""

    def save(self, name: str, body: str) -> None:
        self.setdefault(name, body)


@dataclass
class Purse:
    """A budget in hand."""

    reserved: list[tuple[str, date, int]] = field(default_factory=list)
    settled: list[tuple[str, date, int, int]] = field(default_factory=list)
    spent: int = 0

    def reserve(self, user_id: str, day: date, tokens: int, user_limit: int, limit: int) -> bool:
        allowed = self.spent + tokens <= min(user_limit, limit)
        if allowed:
            self.reserved.append((user_id, day, tokens))
            self.spent += tokens
        return allowed

    def settle(self, user_id: str, day: date, reserved: int, used: int) -> None:
        self.settled.append((user_id, day, reserved, used))
        self.spent += used - reserved


def metered(
    *script: Step, answers: Kept | None = None, purse: Purse | None = None, allowance: Allowance | None = None
) -> tuple[MeteredModel, ScriptedModel]:
    """A model as a run asks it, and what it is asked."""
    model = ScriptedModel(list(script))
    kept = Kept() if answers is None else answers
    return MeteredModel(model, purse or Purse(), kept, "local|ann", DATE, allowance or Allowance()), model


def day_of(*talks: Sequence[str] | str) -> Day:
    """A day of talks `c1`, `c2`, …: the user's messages, and those of the assistant that begin with `A: `."""
    utterances = []
    for number, talk in enumerate(talks, 1):
        for position, text in enumerate([talk] if isinstance(talk, str) else talk):
            own = () if text.startswith("A: ") else own_spans(text)[0]
            role: Any = "assistant" if text.startswith("A: ") else "user"
            time = MORNING + timedelta(hours=number, minutes=position)
            utterances.append(Utterance(f"c{number}", position, role, text.removeprefix("A: "), time, own))
    return Day(DATE, tuple(utterances))


def memory(memory_id: str, content: str, **fields: Any) -> Memory:
    """A memory of long ago."""
    then = datetime(2026, 1, 4, 12, 0, tzinfo=UTC)
    whole: dict[str, Any] = {
        "memory_id": memory_id,
        "user_id": "local|ann",
        "raw_text": content,
        "normalized_text": content,
        "memory_type": "fact",
        "category": "contexts",
        "section": "personal_context",
        "event_time": then,
        "created_at": then,
        "updated_at": then,
    }
    return Memory(**{**whole, **fields})


class InMemoryView:
    """Memories in hand; similar is what shares a stem."""

    def __init__(self, *memories: Memory) -> None:
        self.memories = memories

    def similar(self, content: str, limit: int = 10) -> list[Memory]:
        wanted = set(terms(content)) - {"user"}
        return [one for one in self.memories if wanted & set(terms(one.content))][:limit]

    def get(self, memory_ids: Sequence[str]) -> list[Memory]:
        return [one for one in self.memories if one.memory_id in memory_ids]

    def holder(self, key: str) -> Memory | None:
        return next((one for one in self.memories if one.key == key), None)

    def restated(self, content: str) -> list[str]:
        return [one.memory_id for one in self.memories if one.content == content]

    def in_section(self, section: Section, limit: int = 20) -> list[Memory]:
        return [one for one in self.memories if one.section == section][:limit]
