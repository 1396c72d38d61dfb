"""Uses Claude to read statements and days and to write summaries. The first call takes 2 s to import the `anthropic` SDK."""
