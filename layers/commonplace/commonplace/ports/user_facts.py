"""The port of facts about a user's memories as a whole."""

from collections.abc import Sequence
from datetime import datetime
from typing import Protocol

from commonplace.domain.outline import Outline
from commonplace.ports.values import Statistics


class UserFacts(Protocol):
    """Facts about a user's memories as a whole."""

    def tags(self, user_id: str) -> dict[str, int]:
        """The user's tags and how many active memories carry each, the most used first, 500 at most."""

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        """The measured statistics of the memories."""

    def outlines(self, user_id: str, terms: Sequence[str] = ()) -> list[Outline]:
        """Every record of the user but the erased ones, closed ones too, in any order.

        `terms`: only those in whose words, or in whose labels, each of these index tokens stands.
        """
