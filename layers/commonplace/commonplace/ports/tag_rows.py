"""The port of the tags that go on under another name, or are put aside."""

from collections.abc import Mapping
from typing import Protocol

from commonplace.domain.runs import TagRow
from commonplace.ports.record_values import Fence


class TagRows(Protocol):
    """A user's tags that are merged or archived, by tag; what is active is counted from the memories (`UserFacts`)."""

    def rows(self, user_id: str) -> dict[str, TagRow]:
        """All rows of the user; strongly consistent."""

    def replace(self, user_id: str, rows: Mapping[str, TagRow], fence: Fence) -> None:
        """Puts these in the place of all rows. `LEASE_LOST` when the fence is not the newest of its user."""
