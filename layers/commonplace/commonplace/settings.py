"""The environment as one model. Nothing set means: local, by rules, in one file."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from commonplace.domain.errors import CommonplaceError, ErrorCode
from commonplace.domain.fields import Model

_PREFIX = "COMMONPLACE_"


def _words(value: object) -> list[str]:
    return str(value).replace(",", " ").split()


def _pairs(value: object) -> list[tuple[str, str]]:
    return [(name, target) for name, _, target in (word.partition("=") for word in _words(value))]


class Settings(Model):
    """Each field is read from `COMMONPLACE_<FIELD>`; the key of Claude from `ANTHROPIC_API_KEY`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    db: Path = Field(Path.home() / ".commonplace" / "memory.db", description="The memory file.")
    user: str = Field("local", min_length=1, description="Whose memories; a name on this machine.")
    timezone: str | None = Field(None, description="IANA name of the user's time zone; the machine's when absent.")
    ranking: Literal["window", "classic"] = Field("window", description="How candidates are scored.")
    depth: Literal["thorough", "fast"] = Field("thorough", description="How many candidates an index gives a search.")
    importance_weight: float = Field(0.02, ge=0, le=0.2, description="What importance adds to a score at the most.")
    recency_weight: float = Field(0.02, ge=0, le=0.2, description="What being new adds to a score at the most.")
    usage_weight: float = Field(0.01, ge=0, le=0.2, description="What often being found adds to a score at the most.")
    similarity: Literal["conservative", "balanced", "aggressive"] = Field(
        "balanced", description="How surely two memories must say the same for a store to suggest a merge."
    )
    category_confidence: float = Field(
        0.5, ge=0, le=1, description="The confidence below which a store names the two likeliest categories."
    )
    anthropic_api_key: str | None = Field(None, description="With it, Claude cleans statements, sums up and reads days.")
    anthropic_base_url: str | None = Field(None, description="Another address of the Messages API.")
    claude_model: str = Field("claude-haiku-5-5", description="The model that normalizes and sums up.")
    claude_temperature: float | None = Field(None, ge=0, le=1, description="Sent only when set; new models refuse it.")
    claude_deadline: float = Field(20.0, gt=0, le=24, description="Seconds for one answer, retries included.")
    claude_secret: str | None = Field(None, description="ARN of the secret with Anthropic's key, instead of the key.")
    bedrock_model: str | None = Field(None, description="A model or inference profile: Claude is asked on Bedrock, by role.")
    nightly_model: str | None = Field(None, min_length=1, description="The model that reads days; the other one when absent.")
    nightly_texts_days: int = Field(30, ge=0, description="Days that the text of what was recorded stays after it was read.")
    nightly_user_tokens: int = Field(300_000, ge=0, description="Tokens a day that reading one user's days may take.")
    nightly_all_tokens: int = Field(30_000_000, ge=0, description="Tokens a day that reading everybody's days may take.")
    nightly_call_seconds: float = Field(120.0, gt=0, le=600, description="Seconds for one answer of it, retries included.")
    nightly_agent_turns: int = Field(24, ge=1, le=100, description="Answers that agent mode may take for a day.")
    nightly_agent_tokens: int = Field(200_000, ge=1, description="Tokens that agent mode may take for a day.")
    nightly_agent_seconds: float = Field(240.0, gt=0, description="Seconds that agent mode may take for a day.")
    nightly_price_in: float = Field(0.0, ge=0, description="US dollars for a million tokens that the model reads.")
    nightly_price_out: float = Field(0.0, ge=0, description="US dollars for a million tokens that the model writes.")
    nightly_worth: float | None = Field(
        None, ge=0, le=1, description="How much must speak for keeping what was said, where rules read; else their own."
    )
    region: str = Field("us-east-1", description="The region of AWS; in Lambda its own.")
    table: str | None = Field(None, description="The DynamoDB table; with it the records are there and not in the file.")
    search_endpoint: str | None = Field(None, description="URL of OpenSearch; without it a search reads the records.")
    index_alias: str = Field("commonplace", min_length=1, description="The alias that searches and writes go through.")
    index_shards: int = Field(1, ge=1, description="Primary shards of the next version of the index.")
    index_replicas: int = Field(0, ge=0, description="Copies of each shard.")
    knn_engine: Literal["lucene", "faiss"] = Field("lucene", description="OpenSearch's engine for the nearest vectors.")
    fusion: Literal["own", "engine"] = Field("own", description="Who joins words and vectors: this package, or `hybrid`.")
    embedder: Literal["static", "sentence", "titan"] = Field(
        "static", description="On AWS: the static model or the sentence encoders of the package, or Titan on Bedrock."
    )
    search_log: bool = Field(True, description="Whether what was searched for is kept for 90 days.")
    backups_kept: int = Field(10, ge=1, le=100, description="How many backups are kept of a user; the oldest makes room.")
    backup_days: int = Field(90, ge=1, le=3650, description="Days that a backup is kept.")
    dead_letter_queue: str | None = Field(None, description="URL of the queue for changes that can't be indexed.")
    pages: Path | None = Field(None, description="A folder with one for each user, for the Markdown pages after each run.")
    pages_bucket: str | None = Field(None, description="The bucket that the Markdown pages go to after each run, on AWS.")
    night_queue: str | None = Field(None, description="URL of the queue of users whose days are to be read.")
    tool_functions: Annotated[tuple[tuple[str, str], ...], BeforeValidator(_pairs)] = Field(
        (), description="Names of the functions that serve tools, `store=...,search=...`: for the one that speaks MCP."
    )
    issuer: str | None = Field(None, description="Issuer of the tokens that the HTTP API takes, for clients of MCP.")
    mcp_scopes: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        (), description="Scopes that a client of MCP should ask that issuer for."
    )
    agentcore_gateways: Annotated[tuple[str, ...], BeforeValidator(_words)] = Field(
        (), description="Ids of the AgentCore gateways whose interceptor names the user."
    )


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """The settings of an environment, the process's own by default; empty values count as absent.

    Raises `INVALID_ARGUMENT` that names the variable.
    """
    given = os.environ if environment is None else environment
    names = {name: f"{_PREFIX}{name.upper()}" for name in Settings.model_fields}
    names |= {"region": "AWS_REGION", "anthropic_api_key": "ANTHROPIC_API_KEY", "anthropic_base_url": "ANTHROPIC_BASE_URL"}
    try:
        return Settings.model_validate({name: given[key] for name, key in names.items() if given.get(key)})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = names[str(first["loc"][0])]
        raise CommonplaceError(ErrorCode.INVALID_ARGUMENT, f"{key}: {first['msg']}", key) from None


def metrics_namespace(environment: Mapping[str, str] | None = None) -> str:
    """Where metrics are told, by the variable that Powertools reads; the template names the stack in it."""
    return (os.environ if environment is None else environment).get("POWERTOOLS_METRICS_NAMESPACE") or "Commonplace"


def log_level(environment: Mapping[str, str] | None = None) -> str:
    """The least important line that is logged, by the variable that Powertools reads."""
    return ((os.environ if environment is None else environment).get("POWERTOOLS_LOG_LEVEL") or "INFO").upper()


def machine_zone_name() -> str:
    """What the variable TZ says of the machine's time zone."""
    return os.environ.get("TZ", "")


def named_folder(variable: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """The folder that a variable of other programs names; None where it names none, or none that is absolute."""
    named = Path((os.environ if environment is None else environment).get(variable, ""))
    return named if named.is_absolute() else None


def traced(environment: Mapping[str, str] | None = None) -> bool:
    """Whether X-Ray follows the invocation that Lambda is running now."""
    return "Sampled=1" in (os.environ if environment is None else environment).get("_X_AMZN_TRACE_ID", "")
