"""The nightly run: read a day, decide, plan the changes and apply them. A crashed run resumes, and runs can be undone."""
