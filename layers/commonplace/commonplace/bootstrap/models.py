"""Opens a deployment's models, its Markdown pages, and the ports that its nightly runs use."""

import math
from collections.abc import Callable
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, cast

from commonplace.domain.errors import require_extra
from commonplace.domain.loading import loaded_once
from commonplace.ports.models import Embedder, LanguageModel, StatementReader
from commonplace.ports.values import Weights
from commonplace.settings import Settings

if TYPE_CHECKING:
    from commonplace.adapters.claude.clients import Clients
    from commonplace.ports.documents import Pages, StoredFiles
    from commonplace.ports.models import TokenBudget
    from commonplace.ports.night import Leases, Ledger, NightPorts, RunParts, RunStore

    class RunRepository(Leases, RunStore, RunParts, Protocol):
        """The run ports that a single adapter implements."""


SENTENCE_ENCODER, DIMENSION = "use-e5-256", 256
"""The embedder's name and dimension, repeated here so that an index can be created without the model. A test checks both."""
Left = Callable[[], float]
"""Returns the number of seconds until the current process is stopped."""


class OnFirstUse:
    """A proxy that creates a port on first access, to defer imports that most calls never need."""

    def __init__(self, make: Callable[[], object]) -> None:
        self._made = loaded_once(make)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._made(), name)


def folder_pages(folder: Path) -> "Pages":
    from commonplace.adapters.folder import FolderPages

    return FolderPages(folder)


def pages_of(settings: Settings) -> "Callable[[str], Pages] | None":
    """Return a function that opens a user's pages by user id, or None if no pages are configured.

    Each user has a subfolder, in the bucket if one is set and otherwise in the local folder.
    """
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


def bucket_files(settings: Settings) -> "StoredFiles | None":
    """Return the store that keeps users' files in the bucket for pages, or None if no bucket is set."""
    bucket = settings.pages_bucket
    if bucket is None:
        return None

    def opened() -> "StoredFiles":
        from commonplace.adapters.s3 import S3StoredFiles, connect

        return S3StoredFiles(connect(settings.region), bucket)

    return cast("StoredFiles", OnFirstUse(opened))


def unlimited_time() -> float:
    """Return infinity, because a process on this machine has no time limit."""
    return math.inf


def weights_of(settings: Settings) -> Weights:
    """Return the tie-break weights. The ranking `classic` scores importance and recency, so it uses only the usage weight."""
    if settings.ranking == "classic":
        return Weights(importance=0.0, recency=0.0, usage=0.1)
    return Weights(settings.importance_weight, settings.recency_weight, settings.usage_weight)


def build_embedder() -> Embedder:
    """Return the embedder for memories and queries."""
    from commonplace.adapters.sentence_encoder import SentenceEncoder

    return SentenceEncoder()


def reader_of(settings: Settings, left: Left = unlimited_time) -> StatementReader | None:
    """Return Claude as the statement reader, or None if Claude is not configured and rules normalize statements."""
    source = _pick_model_source(settings)
    if source is None:
        return None
    from commonplace.adapters.claude.reader import ClaudeReader

    clients, model = source
    return ClaudeReader(clients, model, settings.claude_temperature, settings.claude_deadline, left)


def language_model_of(settings: Settings, left: Left = unlimited_time, model: str | None = None) -> LanguageModel | None:
    """Return Claude as a language model, or None if Claude is not configured. `model` replaces the configured model."""
    source = _pick_model_source(settings)
    if source is None:
        return None
    from commonplace.adapters.claude.reader import ClaudeLanguage

    clients, configured = source
    return ClaudeLanguage(clients, model or configured, settings.claude_temperature, left)


def _pick_model_source(settings: Settings) -> "tuple[Clients, str] | None":
    """Return clients for Claude and the name of the model. Return None if neither a key nor Bedrock is configured."""
    if not (settings.anthropic_api_key or settings.claude_secret or settings.bedrock_model):
        return None
    from commonplace.adapters.claude.clients import BedrockClients, KeyClients

    if settings.bedrock_model:
        return BedrockClients(), settings.bedrock_model
    return KeyClients(_build_key_reader(settings), settings.anthropic_base_url), settings.claude_model


def _build_key_reader(settings: Settings) -> Callable[[], str]:
    key, arn = settings.anthropic_api_key, settings.claude_secret
    if key is not None:
        return lambda: key
    from commonplace.adapters.claude.clients import read_secret

    assert arn is not None
    return partial(read_secret, arn)


def night_of(
    settings: Settings, ledger: "Ledger", runs: "RunRepository", budget: "TokenBudget", left: Left = unlimited_time
) -> "NightPorts":
    """Return the ports that nightly runs use. `left` returns how many seconds the current caller has left."""
    from commonplace.ports.night import Allowance, NightPorts

    return NightPorts(
        ledger=ledger,
        leases=runs,
        runs=runs,
        parts=runs,
        budget=budget,
        model=language_model_of(settings, left, settings.nightly_model),
        allowance=Allowance(
            user_tokens=settings.nightly_user_tokens,
            all_tokens=settings.nightly_all_tokens,
            call_seconds=settings.nightly_call_seconds,
            agent_turns=settings.nightly_agent_turns,
            agent_tokens=settings.nightly_agent_tokens,
            agent_seconds=settings.nightly_agent_seconds,
            price_in=settings.nightly_price_in,
            price_out=settings.nightly_price_out,
        ),
        text_retention=timedelta(days=settings.nightly_texts_days),
        pages=pages_of(settings),
        least_worth=settings.nightly_worth,
    )
