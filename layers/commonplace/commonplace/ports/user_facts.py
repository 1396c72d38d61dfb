"""The port of facts about a user's memories as a whole."""

from datetime import datetime
from typing import Protocol

from commonplace.ports.values import Statistics


class UserFacts(Protocol):
    """Facts about a user's memories as a whole."""

    def tags(self, user_id: str) -> dict[str, int]:
        """The user's tags and how many active memories carry each, the most used first, 500 at most."""

    def statistics(self, user_id: str, now: datetime, embedding_model: str) -> Statistics:
        """The measured statistics of the memories."""
