"""Claude reads statements and days, and summarizes. The first call imports the `anthropic` SDK, which takes 2 s."""
