"""Claude as the reader of statements and of days. The `anthropic` SDK is imported by the first call: it costs 2 s."""

from commonplace.adapters.claude.clients import OnBedrock, WithKey
from commonplace.adapters.claude.language import ClaudeLanguage
from commonplace.adapters.claude.reader import ClaudeReader

__all__ = ["ClaudeLanguage", "ClaudeReader", "OnBedrock", "WithKey"]
