"""The models that a deployment uses: Claude or rules for reading statements, the static model or Titan for vectors."""

import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from commonplace.ports import Embedder, LanguageModel, StatementReader
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.adapters.claude.clients import Clients
    from commonplace.night_ports import Allowance

Left = Callable[[], float]
"""Seconds until whoever asks now is ended."""


def no_end() -> float:
    """Nobody ends a process of this machine."""
    return math.inf


def embedder_of(settings: Settings, static: Embedder) -> Embedder:
    """What embeds memories and questions."""
    if settings.embedder == "static":
        return static
    from commonplace.adapters.bedrock import TitanEmbedder

    return TitanEmbedder(region=settings.region)


def reader_of(settings: Settings, left: Left = no_end) -> StatementReader | None:
    """Claude as the reader of statements; None: rules."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude import ClaudeReader

    clients, model = asked
    return ClaudeReader(clients, model, settings.claude_temperature, settings.claude_deadline, left)


def language_of(settings: Settings, left: Left = no_end) -> LanguageModel | None:
    """Claude as the reader of days; None: rules."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude import ClaudeLanguage

    clients, model = asked
    return ClaudeLanguage(clients, settings.nightly_model or model, settings.claude_temperature, left)


def summarizer_of(settings: Settings, left: Left = no_end) -> LanguageModel | None:
    """Claude as the one that sums up; None: by extraction."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude import ClaudeLanguage

    clients, model = asked
    return ClaudeLanguage(clients, model, settings.claude_temperature, left)


def allowance_of(settings: Settings) -> "Allowance":
    """What reading days may cost."""
    from commonplace.night_ports import Allowance

    return Allowance(
        user_tokens=settings.nightly_user_tokens,
        all_tokens=settings.nightly_all_tokens,
        call_seconds=settings.nightly_call_seconds,
        agent_turns=settings.nightly_agent_turns,
        agent_tokens=settings.nightly_agent_tokens,
        agent_seconds=settings.nightly_agent_seconds,
        price_in=settings.nightly_price_in,
        price_out=settings.nightly_price_out,
    )


def _asked(settings: Settings) -> "tuple[Clients, str] | None":
    """Claude by a key of the environment, by one in Secrets Manager, or on Bedrock by role; and which model."""
    if not (settings.anthropic_api_key or settings.claude_secret or settings.bedrock_model):
        return None
    from commonplace.adapters.claude import OnBedrock, WithKey

    if settings.bedrock_model:
        return OnBedrock(), settings.bedrock_model
    return WithKey(_claude_key(settings), settings.anthropic_base_url), settings.claude_model


def _claude_key(settings: Settings) -> Callable[[], str]:
    key, arn = settings.anthropic_api_key, settings.claude_secret
    if key is not None:
        return lambda: key
    from commonplace.adapters.secret import secret_reader

    assert arn is not None
    return secret_reader(arn)
