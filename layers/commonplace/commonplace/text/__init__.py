"""Redact, rewrite, classify, tag and compare texts, and read time ranges in queries. This package uses no ports."""
