"""Uses Claude to read statements and days, and to write summaries. On the first call, importing the SDK takes 2 s."""
