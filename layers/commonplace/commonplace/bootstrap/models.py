"""Opens the models that a deployment uses, its Markdown pages, and the ports of its nights."""

import math
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from commonplace.domain.errors import require_extra
from commonplace.domain.loading import loaded_once
from commonplace.ports.models import Embedder, LanguageModel, StatementReader
from commonplace.ports.values import Weights
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.adapters.claude.clients import Clients
    from commonplace.ports.documents import KeptFiles, Pages
    from commonplace.ports.models import TokenBudget
    from commonplace.ports.night import Allowance, Leases, Ledger, NightPorts, RunParts, RunStore

    class RunRepository(Leases, RunStore, RunParts, Protocol):
        """What one adapter keeps of runs."""


SENTENCE_ENCODER = "minilm-e5-small-256"
"""The name of the package's own encoder, so that asking for it loads no model; a test holds them together."""
Left = Callable[[], float]
"""Seconds until whoever asks now is ended."""


class OnFirstUse:
    """Stands for a port until it is first asked: what it needs is imported then, and most calls have no use for it."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._made = loaded_once(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)


def folder_pages(folder: Path) -> "Pages":
    """The pages of one folder."""
    from commonplace.adapters.folder import FolderPages

    return FolderPages(folder)


def pages_of(settings: Settings) -> "Callable[[str], Pages] | None":
    """A user's pages by the user's id: a folder per user, in the bucket if one is set, else in the folder; None: nowhere."""
    folder, bucket = settings.pages, settings.pages_bucket
    if folder is None and bucket is None:
        return None
    from commonplace.pages.page import owner_hash

    if bucket is None:
        assert folder is not None
        return lambda user_id: folder_pages(folder / owner_hash(user_id))
    require_extra("aws", "a bucket for the pages is configured")
    from commonplace.adapters.s3 import S3Pages, connect

    client = cache(lambda: connect(settings.region))
    return lambda user_id: S3Pages(client(), bucket, owner_hash(user_id))


def bucket_files(settings: Settings) -> "KeptFiles | None":
    """The files kept for users in the bucket of pages; None where there is none."""
    bucket = settings.pages_bucket
    if bucket is None:
        return None

    def opened() -> "KeptFiles":
        from commonplace.adapters.s3 import S3KeptFiles, connect

        return S3KeptFiles(connect(settings.region), bucket)

    return cast("KeptFiles", OnFirstUse(opened))


def unlimited_time() -> float:
    """No time limit: nobody ends a process of this machine."""
    return math.inf


def weights_of(settings: Settings) -> Weights:
    """The weights of what orders memories that match alike; in `classic` usage has its tenth, the others count already."""
    if settings.ranking == "classic":
        return Weights(importance=0.0, recency=0.0, usage=0.1)
    return Weights(settings.importance_weight, settings.recency_weight, settings.usage_weight)


def embedder_of(settings: Settings, static: Embedder) -> Embedder:
    """The embedder of memories and questions."""
    if settings.embedder == "static":
        return static
    if settings.embedder == "sentence":
        from commonplace.adapters.sentence_encoder import SentenceEncoder

        return SentenceEncoder()
    from commonplace.adapters.bedrock import TitanEmbedder

    return TitanEmbedder(region=settings.region)


def reader_of(settings: Settings, left: Left = unlimited_time) -> StatementReader | None:
    """Claude as the reader of statements; None: rules normalize."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude.reader import ClaudeReader

    clients, model = asked
    return ClaudeReader(clients, model, settings.claude_temperature, settings.claude_deadline, left)


def language_model_of(settings: Settings, left: Left = unlimited_time) -> LanguageModel | None:
    """Claude as the model of nights; None: rules read."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude.reader import ClaudeLanguage

    clients, model = asked
    return ClaudeLanguage(clients, settings.nightly_model or model, settings.claude_temperature, left)


def summarizer_of(settings: Settings, left: Left = unlimited_time) -> LanguageModel | None:
    """Claude as the model of summaries; None: sentences are extracted."""
    asked = _asked(settings)
    if asked is None:
        return None
    from commonplace.adapters.claude.reader import ClaudeLanguage

    clients, model = asked
    return ClaudeLanguage(clients, model, settings.claude_temperature, left)


def allowance_of(settings: Settings) -> "Allowance":
    """The limits on what nights may spend."""
    from commonplace.ports.night import Allowance

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
    from commonplace.adapters.claude.clients import BedrockClients, KeyClients

    if settings.bedrock_model:
        return BedrockClients(), settings.bedrock_model
    return KeyClients(_claude_key(settings), settings.anthropic_base_url), settings.claude_model


def _claude_key(settings: Settings) -> Callable[[], str]:
    key, arn = settings.anthropic_api_key, settings.claude_secret
    if key is not None:
        return lambda: key
    from commonplace.adapters.claude.clients import secret_reader

    assert arn is not None
    return secret_reader(arn)


def night_of(
    settings: Settings, ledger: "Ledger", runs: "RunRepository", budget: "TokenBudget", left: Left = unlimited_time
) -> "NightPorts":
    """The ports of nights. `left`: seconds that whoever asks now has."""
    from commonplace.ports.night import NightPorts

    return NightPorts(
        ledger=ledger,
        leases=runs,
        runs=runs,
        parts=runs,
        budget=budget,
        model=language_model_of(settings, left),
        allowance=allowance_of(settings),
        texts_kept=timedelta(days=settings.nightly_texts_days),
        pages=pages_of(settings),
        least_worth=settings.nightly_worth,
    )
