"""The port of ids that were erased: what nothing may bring back."""

from collections.abc import Collection
from typing import Protocol


class ErasedIds(Protocol):
    """Ids of memories that were erased, and what these were called elsewhere, each as a hash of it and its user.

    The store itself adds them with every erasure, of a memory, of one that can't be read, or of a user; they outlive the
    record, and no id and no word can be read out of them.
    """

    def among(self, user_id: str, ids: Collection[str]) -> set[str]:
        """Those of the ids, or names from elsewhere, that were erased of this user."""
