"""Claude reads statements and days, and writes summaries. The first call imports the `anthropic` SDK, which takes 2 s."""
