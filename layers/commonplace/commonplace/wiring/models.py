"""The models that a deployment uses: Claude or rules for reading statements, the static model or Titan for vectors."""

from collections.abc import Callable

from commonplace.ports import Embedder, StatementReader
from commonplace.settings import Settings


def embedder_of(settings: Settings, static: Embedder) -> Embedder:
    """What embeds memories and questions."""
    if settings.embedder == "static":
        return static
    from commonplace.adapters.bedrock import TitanEmbedder

    return TitanEmbedder(region=settings.region)


def reader_of(settings: Settings) -> StatementReader | None:
    """Claude by a key of the environment, by one in Secrets Manager, or on Bedrock by role; None: rules."""
    if not (settings.anthropic_api_key or settings.claude_secret or settings.bedrock_model):
        return None
    from commonplace.adapters.claude import ClaudeReader, OnBedrock, WithKey

    model, temperature, deadline = settings.claude_model, settings.claude_temperature, settings.claude_deadline
    if settings.bedrock_model:
        return ClaudeReader(OnBedrock(), settings.bedrock_model, temperature, deadline)
    return ClaudeReader(WithKey(_claude_key(settings), settings.anthropic_base_url), model, temperature, deadline)


def _claude_key(settings: Settings) -> Callable[[], str]:
    key, arn = settings.anthropic_api_key, settings.claude_secret
    if key is not None:
        return lambda: key
    from commonplace.adapters.secret import secret_reader

    assert arn is not None
    return secret_reader(arn)
