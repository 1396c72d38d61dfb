"""Claude as the reader of statements. The `anthropic` SDK is imported by the first call, not before: it costs 2 s."""

from commonplace.adapters.claude.clients import OnBedrock, WithKey
from commonplace.adapters.claude.reader import ClaudeReader

__all__ = ["ClaudeReader", "OnBedrock", "WithKey"]
