"""Entries of one user, numbered, as the record store gets them."""

import itertools
from datetime import timedelta

from commonplace.domain.memory import Memory
from commonplace.ports.values import Audit, Entry
from tests.conftest import NOON
from tests.word_vectors import WordVectors

USER = "local|ana"
_NUMBERS = itertools.count(1)
_EMBEDDER = WordVectors()


def entry(text: str, user_id: str = USER, **fields: object) -> Entry:
    """A new memory of its own id, said at noon."""
    number = next(_NUMBERS)
    vector = _EMBEDDER.embed(text)
    at = NOON + timedelta(microseconds=number)
    whole = {
        "memory_id": f"mem_{number:026d}", "user_id": user_id, "raw_text": text, "normalized_text": text,
        "memory_type": "fact", "category": "contexts", "section": "personal_context", "created_at": at, "updated_at": at,
        "embedding_model": _EMBEDDER.name if vector is not None else None, **fields,
    }  # fmt: skip
    return Entry(Memory.model_validate(whole), vector, Audit("store", at, {"tool": "test"}))
