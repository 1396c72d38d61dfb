"""`get_memory_context`: what an agent puts into its prompt, within a number of tokens that is never exceeded."""

from commonplace.context.answer import get_memory_context

__all__ = ["get_memory_context"]
