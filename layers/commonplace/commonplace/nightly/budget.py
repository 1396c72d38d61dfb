"""Call a model within a token budget. Answers are saved so that a resumed run doesn't pay for them again."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Protocol

from commonplace.ports.models import LanguageModel, TokenBudget
from commonplace.ports.night import Allowance
from commonplace.ports.values import ModelUnavailable, Reply

_BYTES_PER_TOKEN = 3
DECLINED = "the model declined to read it"


class Answers(Protocol):
    """A model's answers in one run, saved by name."""

    def get(self, name: str) -> str | None:
        """Return the answer saved under `name`, or None."""

    def save(self, name: str, body: str) -> None:
        """Save an answer under `name`. Callers save an answer before they use it."""


class BudgetSpent(Exception):  # noqa: N818 - a state that notes report
    """Raised if a call would exceed the day's token limit, for this user or for all users."""


@dataclass
class MeteredModel:
    """A language model whose calls count toward a user's token budget for the day `today` (UTC)."""

    model: LanguageModel
    budget: TokenBudget
    answers: Answers
    user_id: str
    today: date
    allowance: Allowance
    calls: int = 0
    input_tokens: int = 0
    output_tokens: int = 0

    def ask(
        self,
        name: str,
        instructions: str,
        messages: Sequence[Mapping[str, Any]],
        *,
        tools: Sequence[Mapping[str, Any]] = (),
        schema: Mapping[str, Any] | None = None,
        max_tokens: int = 8_000,
        seconds: float | None = None,
    ) -> Reply:
        """Return the answer saved under `name`, or call the model. Raises `BudgetSpent` or `ModelUnavailable`."""
        saved = self.answers.get(name)
        if saved is not None:
            fields = json.loads(saved)
            return self._count_tokens(Reply(**{**fields, "blocks": tuple(fields["blocks"])}))
        reserved = tokens_of(instructions, messages, tools, schema) + max_tokens
        allowed = self.allowance
        if not self.budget.reserve(self.user_id, self.today, reserved, allowed.user_tokens, allowed.all_tokens):
            raise BudgetSpent
        used = 0
        try:
            reply = self.model.reply(
                instructions,
                messages,
                tools=tools,
                schema=schema,
                max_tokens=max_tokens,
                seconds=allowed.call_seconds if seconds is None else min(seconds, allowed.call_seconds),
            )
            used = reply.input_tokens + reply.output_tokens
            self.answers.save(name, json.dumps(asdict(reply), ensure_ascii=False))
        finally:
            self.budget.settle(self.user_id, self.today, reserved, used)
        return self._count_tokens(reply)

    def _count_tokens(self, reply: Reply) -> Reply:
        self.calls += 1
        self.input_tokens += reply.input_tokens
        self.output_tokens += reply.output_tokens
        return reply


@dataclass(frozen=True)
class Unread:
    """Interactions that the model did not read. If `waits` is True, the next run retries them. Otherwise, rules read them."""

    interactions: frozenset[str]
    why: str
    waits: bool


def unread_after(error: BudgetSpent | ModelUnavailable, interactions: Iterable[str]) -> Unread:
    """Return the interactions that a failed call left unread. They wait for the next run, unless a retry would fail too."""
    if isinstance(error, BudgetSpent):
        return Unread(frozenset(interactions), "the budget of tokens is spent", waits=False)
    return Unread(frozenset(interactions), str(error), waits=not error.misconfigured)


def tokens_of(*parts: object) -> int:
    """Estimate the number of tokens as a third of the UTF-8 bytes. Values that are not strings are measured as JSON."""
    texts = (part if isinstance(part, str) else json.dumps(part, ensure_ascii=False) for part in parts if part)
    return -(-sum(len(text.encode()) for text in texts) // _BYTES_PER_TOKEN)


def cost_of(input_tokens: int, output_tokens: int, allowance: Allowance) -> float:
    """Return the cost of the tokens in US dollars at the prices of `allowance`, or 0 if the prices are unknown."""
    return (input_tokens * allowance.price_in + output_tokens * allowance.price_out) / 1_000_000
