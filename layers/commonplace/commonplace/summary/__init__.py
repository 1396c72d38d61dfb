"""`summarize_memory`: what the memories say about a question, in a few sentences."""

from commonplace.summary.answer import summarize_memory

__all__ = ["summarize_memory"]
