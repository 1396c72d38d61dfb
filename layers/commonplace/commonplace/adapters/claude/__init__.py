"""Claude reads statements and days, and sums up. The `anthropic` SDK is imported by the first call: it costs 2 s."""
