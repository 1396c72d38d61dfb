"""Nightly runs, which read a day's interactions, decide, and plan and apply changes. They can resume and be undone."""
