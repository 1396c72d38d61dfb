"""Read the settings from environment variables. By default, memories are in one local file, and no model is called."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BeforeValidator, ConfigDict, Field, ValidationError

from commonplace.domain.errors import invalid
from commonplace.domain.fields import Model

_PREFIX = "COMMONPLACE_"


def _split_words(value: object) -> list[str]:
    return str(value).replace(",", " ").split()


def _parse_pairs(value: object) -> list[tuple[str, str]]:
    return [(name, target) for name, _, target in (word.partition("=") for word in _split_words(value))]


class Settings(Model):
    """Each field is read from `COMMONPLACE_<FIELD>`, except `ANTHROPIC_API_KEY`, `ANTHROPIC_BASE_URL` and `AWS_REGION`."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    db: Path = Field(Path.home() / ".commonplace" / "memory.db", description="The memory file.")
    user: str = Field("local", min_length=1, description="The user whose memories are read and written.")
    timezone: str | None = Field(None, description="IANA name of the user's time zone; by default the machine's.")
    ranking: Literal["window", "classic"] = Field("window", description="How a search scores memories.")
    depth: Literal["thorough", "fast"] = Field("thorough", description="How many candidates the index returns to a search.")
    importance_weight: float = Field(0.02, ge=0, le=0.2, description="The most that importance adds to a score.")
    recency_weight: float = Field(0.02, ge=0, le=0.2, description="The most that being new adds to a score.")
    usage_weight: float = Field(0.01, ge=0, le=0.2, description="The most that being found often adds to a score.")
    similarity: Literal["conservative", "balanced", "aggressive"] = Field(
        "balanced", description="The similarity at which a store suggests a merge."
    )
    category_confidence: float = Field(
        0.5, ge=0, le=1, description="Below this confidence a store names the two likeliest categories."
    )
    anthropic_api_key: str | None = Field(None, description="With it, Claude normalizes, summarizes and reads days.")
    anthropic_base_url: str | None = Field(None, description="Another address of the Messages API.")
    claude_model: str = Field("claude-haiku-5-5", description="The model that normalizes and summarizes.")
    claude_temperature: float | None = Field(None, ge=0, le=1, description="Sent only if set; newer models refuse it.")
    claude_deadline: float = Field(20.0, gt=0, le=24, description="Seconds for one answer, retries included.")
    claude_secret: str | None = Field(None, description="ARN of the secret with Anthropic's key, instead of the key.")
    bedrock_model: str | None = Field(None, description="A model or inference profile on Bedrock, called with the IAM role.")
    nightly_model: str | None = Field(None, min_length=1, description="The model that reads days; by default the same.")
    nightly_texts_days: int = Field(30, ge=0, description="Days that the text of a recorded day stays after its night.")
    nightly_user_tokens: int = Field(300_000, ge=0, description="Tokens a day for reading the days of one user.")
    nightly_all_tokens: int = Field(30_000_000, ge=0, description="Tokens a day for reading the days of all users.")
    nightly_call_seconds: float = Field(
        120.0, gt=0, le=600, description="Seconds for an answer of that model, retries included."
    )
    nightly_agent_turns: int = Field(24, ge=1, le=100, description="Answers that agent mode may use for a day.")
    nightly_agent_tokens: int = Field(200_000, ge=1, description="Tokens that agent mode may use for a day.")
    nightly_agent_seconds: float = Field(240.0, gt=0, description="Seconds that agent mode may use for a day.")
    nightly_price_in: float = Field(0.0, ge=0, description="US dollars per million tokens that the model reads.")
    nightly_price_out: float = Field(0.0, ge=0, description="US dollars per million tokens that the model writes.")
    nightly_worth: float | None = Field(
        None, ge=0, le=1, description="The least worth, 0 to 1, of a clause that rules store; by default their own threshold."
    )
    region: str = Field("us-east-1", description="The AWS region; in Lambda, the region of the function.")
    table: str | None = Field(None, description="The DynamoDB table, which stores the records instead of the file.")
    search_endpoint: str | None = Field(None, description="URL of OpenSearch; without it a search reads the records.")
    index_alias: str = Field("commonplace", min_length=1, description="The index alias for searches and writes.")
    index_shards: int = Field(1, ge=1, description="Primary shards of the next version of the index.")
    index_replicas: int = Field(0, ge=0, description="Copies of each shard.")
    knn_engine: Literal["lucene", "faiss"] = Field("lucene", description="OpenSearch's engine for the vector search.")
    fusion: Literal["own", "engine"] = Field(
        "own", description="Where words and vectors are combined: here, or in OpenSearch."
    )
    search_log: bool = Field(True, description="Whether queries are logged for 90 days.")
    backups_kept: int = Field(10, ge=1, le=100, description="Backups of one user; the newest replaces the oldest.")
    backup_days: int = Field(90, ge=1, le=3650, description="Days until a backup expires.")
    dead_letter_queue: str | None = Field(None, description="URL of the queue for changes that can't be indexed.")
    pages: Path | None = Field(None, description="The folder for Markdown pages after each run, with one per user.")
    pages_bucket: str | None = Field(None, description="The bucket for the Markdown pages after each run, on AWS.")
    night_queue: str | None = Field(None, description="URL of the queue of users whose days a night has yet to read.")
    tool_functions: Annotated[tuple[tuple[str, str], ...], BeforeValidator(_parse_pairs)] = Field(
        (), description="Names of the functions that serve tools, `store=...,search=...`; the MCP function calls them."
    )
    issuer: str | None = Field(None, description="Issuer of the tokens that the HTTP API accepts, for MCP clients.")
    mcp_scopes: Annotated[tuple[str, ...], BeforeValidator(_split_words)] = Field(
        (), description="Scopes that an MCP client should request from that issuer."
    )
    agentcore_gateways: Annotated[tuple[str, ...], BeforeValidator(_split_words)] = Field(
        (), description="Ids of the AgentCore gateways whose interceptor names the user."
    )


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Return the settings from `environment`, by default the environment of the process. An empty variable counts as unset.

    Raises `INVALID_ARGUMENT` with the name of the variable if a value is invalid.
    """
    variables = os.environ if environment is None else environment
    names = {name: f"{_PREFIX}{name.upper()}" for name in Settings.model_fields}
    names |= {"region": "AWS_REGION", "anthropic_api_key": "ANTHROPIC_API_KEY", "anthropic_base_url": "ANTHROPIC_BASE_URL"}
    try:
        return Settings.model_validate({name: variables[key] for name, key in names.items() if variables.get(key)})
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False)[0]
        key = names[str(first["loc"][0])]
        raise invalid(key, first["msg"]) from None


def metrics_namespace(environment: Mapping[str, str] | None = None) -> str:
    """Return the metrics namespace from the variable that Powertools reads, which the template sets to the stack's name."""
    return (os.environ if environment is None else environment).get("POWERTOOLS_METRICS_NAMESPACE") or "Commonplace"


def log_level(environment: Mapping[str, str] | None = None) -> str:
    """Return the log level from the variable that Powertools reads, or INFO if the variable is not set."""
    return ((os.environ if environment is None else environment).get("POWERTOOLS_LOG_LEVEL") or "INFO").upper()


def machine_zone_name() -> str:
    """Return the value of the environment variable `TZ`, or an empty string if it is not set."""
    return os.environ.get("TZ", "")


def named_folder(variable: str, environment: Mapping[str, str] | None = None) -> Path | None:
    """Return the folder in another program's environment variable, or None if the value is not an absolute path."""
    named = Path((os.environ if environment is None else environment).get(variable, ""))
    return named if named.is_absolute() else None


def traced(environment: Mapping[str, str] | None = None) -> bool:
    """Return whether X-Ray traces the current Lambda invocation."""
    return "Sampled=1" in (os.environ if environment is None else environment).get("_X_AMZN_TRACE_ID", "")
