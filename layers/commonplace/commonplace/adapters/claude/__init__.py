"""Claude as the reader of statements and of days. The `anthropic` SDK is imported by the first call: it costs 2 s."""
